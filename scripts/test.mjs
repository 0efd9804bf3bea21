// `npm test`: set-up, then all checks. Ends with a line `N passed, N failed`. `--full`: with all generated cases, of which a
// fifth is tried otherwise. For several machines: `--parts=unit,lint` is a part of it, `--shard=1/3` a third of the browser
// tests, and `--built` uses a build that was made elsewhere.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { bootstrap, bootstrapOrExit, root, tool } from "./bootstrap.mjs";
import { findChromium, installHint } from "./chromium.mjs";
import { clearE2eRemains } from "./e2e-remains.mjs";
import { buildZstd } from "./native-zstd.mjs";

const { values: options } = parseArgs({
  options: {
    full: { type: "boolean" },
    built: { type: "boolean" },
    parts: { type: "string" },
    shard: { type: "string" },
  },
});
const results = path.join(root, ".test", "results");
const tally = { passed: 0, failed: 0 };
const failures = [];
/** What failed of all steps, repeated at the end of the output. */
const failedTests = [];

function count(label, passed, failed) {
  tally.passed += passed;
  tally.failed += failed;
  if (failed > 0) failures.push(label);
}

/** The last lines of the output of a program, which say why it failed where no test did. */
const keptLines = 60;

/** Runs a program and prints its output line by line with a label. Resolves to the exit code and the last lines. */
function run(label, args, env = {}) {
  return new Promise((resolve) => {
    const began = performance.now();
    const lines = [];
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1", CI: "1", NO_COLOR: "1", FORCE_COLOR: "0", ...env },
    });
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        process.stdout.write(`${label.padEnd(8)}| ${line}\n`);
        lines.push(line);
        if (lines.length > keptLines) lines.shift();
      });
    }
    child.once("error", (error) => resolve({ code: 1, lines: [String(error)] }));
    child.once("close", (code) => {
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      process.stdout.write(`${label.padEnd(8)}| ${code === 0 ? "done" : `failed (${code})`} after ${seconds} s\n`);
      resolve({ code: code ?? 1, lines });
    });
  });
}

/** Repeats at the end why a step failed that has no failed test: an error outside of the tests, or a step of one check. */
function noteOutput(label, { code, lines }) {
  const shown = lines.filter((line) => line.trim() !== "").map((line) => `    ${line}`);
  failedTests.push([`${label.padEnd(8)}| exit code ${code}, after these lines:`, ...shown].join("\n"));
}

/** A step that counts as one check. */
async function check(label, args, env) {
  const outcome = await run(label, args, env);
  const isPassed = outcome.code === 0;
  count(label, isPassed ? 1 : 0, isPassed ? 0 : 1);
  if (!isPassed) noteOutput(label, outcome);
}

/**
 * A step with a report of its passed and failed tests; nothing is retried. A nonzero exit code without a failed test
 * counts as one failure.
 */
async function suite(label, args, env, read) {
  const report = path.join(results, `${label}.json`);
  fs.rmSync(report, { force: true });
  const outcome = await run(label, args, env);
  let sums = { passed: 0, failed: 0, tests: [] };
  try {
    sums = read(JSON.parse(fs.readFileSync(report, "utf8")));
  } catch {
    process.stdout.write(`${label.padEnd(8)}| wrote no report\n`);
  }
  const isWhole = outcome.code === 0 && sums.passed > 0;
  count(label, sums.passed, sums.failed || (isWhole ? 0 : 1));
  if (!isWhole && sums.failed === 0) noteOutput(label, outcome);
  failedTests.push(...sums.tests.map((line) => `${label.padEnd(8)}| ${String(line)}`));
}

const failed = (name, message) => `failed: ${name}\n    ${firstLines(message)}`;
const firstLines = (message = "") =>
  message
    .replace(/\x1b\[[0-9;]*m/g, "")
    .split("\n")
    .slice(0, 6)
    .join("\n    ");
const inRoot = (file) => path.relative(root, file);

/** The tests of some of the kinds of vitest.config.ts. */
const vitest = (label, kinds) =>
  suite(
    label,
    [
      tool.vitest,
      "run",
      ...kinds.map((kind) => `--project=${kind}`),
      "--maxWorkers=1",
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${path.join(results, `${label}.json`)}`,
    ],
    { MUSTER_TEST_STATEMENTS: statements, CHROMIUM_PATH: chromium },
    ({ numPassedTests, numFailedTests, testResults }) => {
      const neverRan = testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
      const tests = [
        ...neverRan.map(({ name, message }) => failed(inRoot(name), message)),
        ...testResults.flatMap(({ name, assertionResults }) =>
          assertionResults
            .filter(({ status }) => status === "failed")
            .map(({ fullName, failureMessages }) => failed(`${inRoot(name)}: ${fullName}`, failureMessages[0])),
        ),
      ];
      return { passed: numPassedTests, failed: numFailedTests + neverRan.length, tests };
    },
  );

function failedSpecs({ specs = [], suites = [] }) {
  const own = specs
    .filter(({ ok }) => !ok)
    .map(({ file, title, tests }) => failed(`e2e/${file}: ${title}`, tests[0]?.results[0]?.errors[0]?.message));
  return [...own, ...suites.flatMap(failedSpecs)];
}

const browser = (chromium) =>
  suite(
    "browser",
    [
      tool.playwright,
      "test",
      "--config",
      "e2e/playwright.config.ts",
      ...(options.shard ? [`--shard=${options.shard}`] : []),
    ],
    { CHROMIUM_PATH: chromium, PLAYWRIGHT_JSON_OUTPUT_NAME: path.join(results, "browser.json") },
    ({ stats, suites }) => ({
      passed: stats.expected,
      failed: stats.unexpected + stats.flaky,
      tests: suites.flatMap(failedSpecs),
    }),
  );

async function build() {
  try {
    await bootstrap("product");
    count("build", 1, 0);
    return true;
  } catch (error) {
    process.stdout.write(`build   | ${error.message}\n`);
    count("build", 0, 1);
    return false;
  }
}

// Most programs here spend a tenth of the time on collecting young objects in the small space that Node gives them.
process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ""} --max-semi-space-size=64`.trim();
// The type checker and the linter are written in Go, and a fifth of their time is collecting objects.
process.env.GOGC ??= "1000";
if (options.full) process.env.MUSTER_TEST_CASES = "all";
await bootstrapOrExit("nothing");
fs.mkdirSync(results, { recursive: true });
// The statements that the kinds of tests executed, which run in several programs.
const statements = path.join(results, "statements");
fs.rmSync(statements, { recursive: true, force: true });
const chromium = findChromium();
if (!chromium) {
  console.error(installHint);
  process.stdout.write("\n0 passed, 1 failed\n");
  process.exit(1);
}

/** Before a program runs that stores signals: without it, they are compressed in another way. */
async function buildNative() {
  const report = await buildZstd();
  if (report) process.stdout.write(`zstd    | ${report}\n`);
}

// Two lanes for two cores: each takes the next step when it has ended one, the longest first. The browser tests often wait
// for pages; the other lane uses their pauses, with one worker: a second one would make all of it longer, since processes
// that take turns on a core find nothing of theirs in its caches. What mostly waits is in a third lane.
const began = performance.now();
const isBuilt = await Promise.all([options.built || build(), buildNative()]).then(([built]) => built);
const inBrowser = async () => {
  if (isBuilt) await browser(chromium);
  await clearE2eRemains(path.join(root, ".test"));
};
const lint = [tool.oxlint, "--type-aware", "--deny-warnings", "--report-unused-disable-directives"];
const working = {
  browser: inBrowser,
  database: () => vitest("database", ["database"]), // some of its tests read what was built
  unit: () => vitest("unit", ["unit"]),
  screens: () => vitest("screens", ["component"]),
  // Each on one core: two threads work out the same types twice.
  lint: () => check("lint", lint, { GOMAXPROCS: "1" }),
  types: () => check("types", [tool.tsc, "--noEmit", "--incremental", "false", "--singleThreaded"]),
  unused: () => check("unused", [tool.knip, "--treat-config-hints-as-errors"]),
  format: () => check("format", [tool.oxfmt, "--check", "."]),
};
const beside = {
  faults: () => (isBuilt ? check("faults", ["scripts/faults.mjs", "--short"]) : undefined),
  waiting: () => vitest("waiting", ["waiting", "vacuum", "program"]),
};
const known = Object.keys({ ...working, ...beside });
const parts = options.parts?.split(",") ?? known;
if (!parts.every((part) => known.includes(part))) count(`--parts has others than ${known.join(", ")}`, 0, 1);
const wanted = (steps) => Object.entries(steps).flatMap(([name, step]) => (parts.includes(name) ? [step] : []));
/** Runs the steps of a list that no other lane has taken. */
async function lane(steps) {
  for (let step = steps.shift(); step; step = steps.shift()) await step();
}
const onCores = wanted(working);
await Promise.all([lane(onCores), lane(onCores), lane(wanted(beside))]);

process.stdout.write(`\nTook ${Math.round((performance.now() - began) / 1000)} s.\n`);
if (failedTests.length > 0) process.stdout.write(`${failedTests.join("\n")}\n`);
if (failures.length > 0) process.stdout.write(`Failed: ${failures.join(", ")}\n`);
process.stdout.write(`${tally.passed} passed, ${tally.failed} failed\n`);
process.exit(tally.failed > 0 ? 1 : 0);
