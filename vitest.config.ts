import path from "node:path";
import { playwright } from "@vitest/browser-playwright";
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { chromiumFlags, findChromium } from "./scripts/chromium.mjs";

const secret = "a secret that only ever signs what tests make";
const plenty = { user_minute: 1e6, user_second: 1e6, anonymous_minute: 1e6, signup_minute: 1e6, device_minute: 1e6 };

/** Tests in `server/testing` that read the files of the repository only. */
const ofFiles = [
  "server/testing/architecture/*.test.ts",
  "server/testing/documents/!(guides-run|mcp-document|sql-document).test.ts",
];

/** Tests that mostly wait: for processes that they start and kill, for time limits, for what does not answer. */
export const waiting = [
  "server/composition/monitoring.test.ts",
  "server/composition/poison.test.ts",
  "server/features/conversions/killed.test.ts",
  "server/features/imports/import-kill.test.ts",
  "server/features/retention/retention-kill.test.ts",
  "server/features/signals/query-attempts.test.ts",
  "server/features/webhooks/replay-kill.test.ts",
  "server/platform/db-pool.test.ts",
  "server/platform/process/stopping.test.ts",
  "server/platform/process/watchdog.test.ts",
  "server/platform/rate-limit/rate-limit.test.ts",
  "server/platform/storage/gcs.test.ts",
  "server/platform/storage/several-processes.test.ts",
  "server/transport/http/large-bodies.test.ts",
  "server/transport/http/outage.test.ts",
  "server/transport/http/traces.test.ts",
];

const ofComponents = "components/**/*.component.test.tsx";

/** Each kind has a timeout, of which no test takes a third even while the browser tests keep both cores busy. */
const kinds: Record<string, { files: string[]; except?: string[]; timeoutMs: number }> = {
  /** Computation, and files of the repository: no PostgreSQL is started for them. */
  unit: {
    files: ["{app,components,domain,engine,scripts}/**/*.test.{ts,tsx}", ...ofFiles],
    except: [ofComponents],
    timeoutMs: 60_000,
  },
  /** With the run's own PostgreSQL, most also with real HTTP. */
  database: {
    files: ["{bench,prisma,server}/**/!(*.vacuum).test.{ts,tsx}"],
    except: [...ofFiles, ...waiting],
    timeoutMs: 120_000,
  },
  /** As above, but beside it in a complete run. */
  waiting: { files: waiting, timeoutMs: 240_000 },
  /** On servers of their own: open transactions of other tests keep rows from being reused, or from being visible to all. */
  vacuum: { files: ["server/**/*.vacuum.test.ts"], timeoutMs: 120_000 },
  /** Complete programs, started and killed as separate processes. */
  program: { files: ["cli/**/*.test.{ts,tsx}"], timeoutMs: 240_000 },
};

const environment = {
  NODE_ENV: "test" as const,
  TZ: "UTC",
  LOG_LEVEL: "fatal",
  PUBLIC_URL: "http://127.0.0.1:3000",
  AUTH_SECRET: secret,
  NEXTAUTH_URL: "http://127.0.0.1:3000",
  NEXTAUTH_SECRET: secret,
  // A busy machine is slow; the tests of this timeout set their own.
  DATABASE_TIMEOUT_SECONDS: "60",
  // The tests of the limits set their own; elsewhere a limit would only make tests depend on each other.
  RATE_LIMITS: JSON.stringify({
    ...plenty,
    inference_minute: 1e6,
    device_second: 1e6,
    trpc_minute: 1e6,
    trpc_second: 1e6,
    page_minute: 1e6,
    page_second: 1e6,
    csv_minute: 1e6,
    concurrent_streams: 1e6,
    sign_in_address: 1e6,
    sign_in_account: 1e6,
    sign_in_pair: 1e6,
  }),
};

/** Screens and their parts in a Chromium of their own, with all of the product but the server. */
const components: TestProjectInlineConfiguration = {
  // Two copies of React would not know each other's hooks.
  resolve: { alias: { "@": path.resolve(".") }, dedupe: ["react", "react-dom"] },
  // Without what an earlier run found: a package that it lacks would reload a page in the middle of its tests.
  optimizeDeps: { force: true },
  // Modules of Next read it, and a page has none.
  define: { "process.env": JSON.stringify({ NODE_ENV: "test" }) },
  test: {
    name: "component",
    include: [ofComponents],
    setupFiles: ["components/testing/setup.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { requireAssertions: true, poll: { timeout: 60_000 } },
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({
        launchOptions: {
          // Looked for only when the browser starts, which takes a moment.
          get executablePath() {
            return findChromium();
          },
          args: chromiumFlags,
        },
        actionTimeout: 60_000,
        contextOptions: { reducedMotion: "reduce", timezoneId: "UTC", locale: "en-US" },
      }),
      instances: [{ browser: "chromium" }],
    },
  },
};

const resolve = { alias: { "@": path.resolve(".") } };

export default defineConfig({
  resolve,
  test: {
    maxWorkers: 2,
    teardownTimeout: 20_000,
    projects: [
      components,
      ...Object.entries(kinds).map(([name, kind]) => ({
        resolve,
        test: {
          name,
          include: kind.files,
          exclude: [...configDefaults.exclude, ...(kind.except ?? [])],
          // Of a kind, so that the run's PostgreSQL starts only when tests of one that uses it were selected.
          globalSetup: name === "unit" ? [] : ["server/testing/global-setup.ts"],
          setupFiles: name === "unit" ? [] : ["server/testing/setup.ts"],
          pool: "forks",
          isolate: false,
          testTimeout: kind.timeoutMs,
          hookTimeout: kind.timeoutMs * 2,
          // Pauses of a busy machine are long; a state that comes is seen at once.
          expect: { requireAssertions: true, poll: { timeout: 60_000 } },
          env: { ...environment, MUSTER_TEST_KIND: name },
        },
      })),
    ],
  },
});
