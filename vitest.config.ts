import path from "node:path";
import { defineConfig } from "vitest/config";

const secret = "a secret that only ever signs what tests make";
const plenty = { user_minute: 1e6, user_second: 1e6, anonymous_minute: 1e6, signup_minute: 1e6, device_minute: 1e6 };

export default defineConfig({
  resolve: { alias: { "@": path.resolve(".") } },
  test: {
    include: ["{app,bench,cli,components,domain,engine,prisma,scripts,server}/**/*.test.{ts,tsx}"],
    globalSetup: "server/testing/global-setup.ts",
    setupFiles: ["server/testing/setup.ts"],
    pool: "forks",
    maxWorkers: 2,
    isolate: false,
    // For a machine that is busy with the browser tests meanwhile: none of them is meant to take so long.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
    env: {
      NODE_ENV: "test",
      TZ: "UTC",
      LOG_LEVEL: "fatal",
      PUBLIC_URL: "http://127.0.0.1:3000",
      AUTH_SECRET: secret,
      NEXTAUTH_URL: "http://127.0.0.1:3000",
      NEXTAUTH_SECRET: secret,
      // A busy machine is slow; the tests of these limits bring their own.
      DATABASE_TIMEOUT_SECONDS: "60",
      // The tests of the limits bring their own; everywhere else a limit would only make tests depend on each other's
      // number.
      RATE_LIMITS: JSON.stringify({
        ...plenty,
        inference_minute: 1e6,
        device_second: 1e6,
        trpc_minute: 1e6,
        trpc_second: 1e6,
      }),
    },
  },
});
