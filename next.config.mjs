import path from "node:path";

/** @type {import("next").NextConfig} */
const config = {
  reactStrictMode: true,
  poweredByHeader: false,
  // Every path works with and without a trailing slash, so that API clients are never redirected.
  skipTrailingSlashRedirect: true,
  typedRoutes: false,
  // A build is made beside the present one (scripts/bootstrap.mjs).
  distDir: process.env.MUSTER_BUILD_FOLDER ?? ".next",
  turbopack: {
    // The guides below /docs are compiled into their page.
    rules: { "*.md": { type: "raw" } },
    resolveAlias: { "@/public/engine/workers.json": `./${process.env.MUSTER_THREADS ?? "public/engine"}/workers.json` },
  },
  outputFileTracingRoot: path.resolve(import.meta.dirname),
  // `npm test` checks types once for the whole repository; a build started by `npm start` need not repeat it.
  typescript: { ignoreBuildErrors: process.env.MUSTER_SKIP_TYPES === "1" },
  experimental: {
    // A link followed while the server cannot be reached waits for it, instead of leaving the page for the browser's.
    useOffline: true,
    optimizePackageImports: ["lucide-react"],
    // Writing this cache takes longer than the rest of a first build, and it is three quarters of the build's size.
    turbopackFileSystemCacheForBuild: false,
    // The server's code is not downloaded, and stack traces should have the names of the sources.
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
    "@node-rs/crc32",
    "@foxglove/wasm-bz2",
    "@foxglove/wasm-zstd",
    "@mcap/core",
    "zstd-napi",
    "node-sqlite3-wasm",
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
