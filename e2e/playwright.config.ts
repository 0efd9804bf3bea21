import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { defineConfig, devices } from "@playwright/test";
import { chromiumFlags } from "@/scripts/chromium.mjs";
import { isFull } from "@/server/testing/generated-cases";

const root = path.dirname(import.meta.dirname);

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

// This file is read again by every worker, which inherits what the first reading put into the environment.
process.env.E2E_PORT ??= String(await freePort());
process.env.E2E_DATA_DIR ??= path.join(root, ".test", `e2e-${process.pid}`);
fs.mkdirSync(process.env.E2E_DATA_DIR, { recursive: true });
const address = `http://127.0.0.1:${process.env.E2E_PORT}`;

// Playwright stays at 1.59: from 1.60 on, every look at an expectation that does not hold yet renders the page's tree of
// accessible names for its error, a twentieth of the time of all these tests.
export default defineConfig({
  testDir: ".",
  outputDir: "../test-results",
  globalSetup: "./global-setup.ts",
  // Pages wait for responses much of the time; two browsers keep two cores busy.
  workers: 2,
  forbidOnly: !!process.env.CI,
  retries: 0,
  // Details that are also tested without a browser, in part: codecs, messages and choices of panels.
  grepInvert: isFull ? [] : /@full/,
  // Generous: a state that comes is seen at once, on a busy machine later.
  timeout: 480_000,
  expect: { timeout: 100_000 },
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_NAME ? [["list"], ["json"]] : [["list"]],
  use: {
    ...devices["Desktop Chrome"],
    channel: undefined,
    baseURL: address,
    // Reduced motion shortens animations; the main job runs with them.
    contextOptions: { reducedMotion: "reduce" },
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH || "/usr/bin/chromium",
      // Scripts stay compiled for as long as a process lives, so all pages of a context use the same one. Most pages of
      // tests end before optimized code would pay for its compilation.
      args: [...chromiumFlags, "--renderer-process-limit=1", "--js-flags=--no-opt --no-maglev"],
    },
    // Said with the step that did not come to its end, which the timeout of a test does not name.
    actionTimeout: 120_000,
    navigationTimeout: 120_000,
    trace: "off",
    screenshot: "only-on-failure",
  },
  webServer: {
    command: "node dist/main.mjs",
    cwd: root,
    url: `${address}/readyz`,
    timeout: 120_000,
    reuseExistingServer: false,
    stdout: "pipe",
    stderr: "pipe",
    gracefulShutdown: { signal: "SIGTERM", timeout: 30_000 },
    env: {
      NODE_OPTIONS: [
        process.env.NODE_OPTIONS,
        `--import=${pathToFileURL(path.join(import.meta.dirname, "one-nonce.mjs")).href}`,
      ].join(" "),
      NODE_ENV: "production",
      PORT: process.env.E2E_PORT,
      HOST: "127.0.0.1",
      DATA_DIR: process.env.E2E_DATA_DIR,
      PUBLIC_URL: address,
      RATE_LIMITS: "off",
      EGRESS_ALLOW_CIDRS: "127.0.0.0/8",
      LOG_LEVEL: "warn",
    },
  },
});
