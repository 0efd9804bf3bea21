import path from "node:path";

/** @type {import("next").NextConfig} */
const config = {
  reactStrictMode: true,
  poweredByHeader: false,
  // Every path answers with and without its slash, so API clients never meet a redirect.
  skipTrailingSlashRedirect: true,
  typedRoutes: false,
  outputFileTracingRoot: path.resolve(import.meta.dirname),
  // `npm test` checks types once for the whole repository; a build started by `npm start` need not repeat it.
  typescript: { ignoreBuildErrors: process.env.MUSTER_SKIP_TYPES === "1" },
  experimental: {
    optimizePackageImports: ["lucide-react"],
    // Writing it takes longer than all else in a first build, and it is three quarters of what a build leaves on the
    // disk.
    turbopackFileSystemCacheForBuild: false,
    // Nothing downloads the server's code, and stack traces should name what was written.
    serverMinification: false,
  },
  // Native modules, WebAssembly loaded by path, and worker threads break when they are bundled.
  serverExternalPackages: [
    "pg",
    "pg-copy-streams",
    "@prisma/client",
    "@prisma/adapter-pg",
    "graphile-worker",
    "pino",
    "prom-client",
    "rate-limiter-flexible",
    "@node-rs/argon2",
    "@foxglove/wasm-bz2",
    "@foxglove/wasm-lz4",
    "@foxglove/wasm-zstd",
    "@mcap/core",
    "zstd-napi",
    "undici",
    "nodemailer",
    "re2js",
    "sharp",
    "mp4box",
    "@aws-sdk/client-s3",
    "@modelcontextprotocol/sdk",
  ],
};

export default config;
