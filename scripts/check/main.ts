import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { z } from "zod";
import { bootstrapOrExit, tool } from "@/scripts/bootstrap.mjs";
import { listChanges } from "@/scripts/check/changes";
import { forgetMoved } from "@/scripts/check/module-cache";
import { type Plan, planCheck } from "@/scripts/check/plan";
import { readEdges } from "@/scripts/check/reach";
import { files, root } from "@/server/testing/architecture/source-tree";

/** `npm run check`, once everything is installed. */

const usage = `Usage: npm run check                   checks what differs from the last commit
       npm run check -- --since main   also what was committed since the branch left main
       npm run check -- --all          every test that the change reaches, not only the nearest
       npm run check -- --plan         prints what would run`;

const folder = path.join(root, ".test");
const modules = path.join(folder, "modules");
const report = path.join(folder, "results", "check.json");
const print = (text: string) => process.stdout.write(`${text}\n`);
const say = (label: string, text: string) => print(`${label.padEnd(8)}| ${text}`);

/** Runs a tool, whose lines are printed behind its label. Resolves to whether it succeeded. */
function runTool(label: string, args: readonly string[], env: Record<string, string> = {}): Promise<boolean> {
  return new Promise((resolve) => {
    const began = performance.now();
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, CI: "1", NO_COLOR: "1", FORCE_COLOR: "0", ...env },
    });
    for (const stream of [child.stdout, child.stderr]) createInterface(stream).on("line", (line) => say(label, line));
    child.once("error", (error) => {
      say(label, String(error));
      resolve(false);
    });
    child.once("close", (code) => {
      const seconds = ((performance.now() - began) / 1_000).toFixed(1);
      say(label, `${code === 0 ? "done" : `failed (${code ?? "killed"})`} after ${seconds} s`);
      resolve(code === 0);
    });
  });
}

const tally = { passed: 0, failed: 0 };
const failures: string[] = [];
function count(label: string, passed: number, failed: number): void {
  tally.passed += passed;
  tally.failed += failed;
  if (failed > 0) failures.push(label);
}

async function check(label: string, args: readonly string[], env?: Record<string, string>): Promise<void> {
  const succeeded = await runTool(label, args, env);
  count(label, succeeded ? 1 : 0, succeeded ? 0 : 1);
}

const vitestReport = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(z.object({ status: z.string(), assertionResults: z.array(z.unknown()) })),
});

async function runTests({ tests, parts, threads }: Plan): Promise<void> {
  if (tests.length === 0) return;
  if (threads) await bootstrapOrExit("nothing");
  fs.rmSync(report, { force: true });
  const succeeded = await runTool(
    "tests",
    [
      ...[tool.vitest, "run", ...tests.map((test) => path.join(root, test))],
      // A table may have nothing to say about an operation.
      ...["--passWithNoTests", "--experimental.fsModuleCache", `--experimental.fsModuleCachePath=${modules}`],
      ...["--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
    ],
    parts ? { TEST_PARTS: parts.join(",") } : {},
  );
  const sums = fs.existsSync(report) ? vitestReport.parse(JSON.parse(fs.readFileSync(report, "utf8"))) : null;
  const broken = sums?.testResults.filter((each) => each.status === "failed" && each.assertionResults.length === 0);
  const failed = (sums?.numFailedTests ?? 0) + (broken?.length ?? 0);
  count("tests", sums?.numPassedTests ?? 0, failed > 0 || succeeded ? failed : 1);
}

/** One after the other on one core, beside the tests. */
async function runTools({ format, lint, types }: Plan): Promise<void> {
  if (format.length > 0) await check("format", [tool.oxfmt, "--check", ...format]);
  const strict = ["--type-aware", "--deny-warnings", "--report-unused-disable-directives"];
  if (lint.length > 0) await check("lint", [tool.oxlint, ...strict, ...lint], { GOMAXPROCS: "1" });
  const incremental = ["--incremental", "--tsBuildInfoFile", path.join(folder, "check.tsbuildinfo")];
  if (types) await check("types", [tool.tsc, "--noEmit", "--singleThreaded", ...incremental]);
}

function describePlan({ tests, parts, left, notes }: Plan): void {
  say("check", `${tests.length} test files${left > 0 ? `; ${left} more are farther away: -- --all, or npm test` : ""}`);
  if (parts) say("check", `the tables of operations run for ${parts.join(", ")}`);
  for (const note of notes) say("check", note);
}

async function main(): Promise<number> {
  const began = performance.now();
  const options = { since: { type: "string" }, all: { type: "boolean" }, plan: { type: "boolean" } } as const;
  let values: { since?: string | undefined; all?: boolean | undefined; plan?: boolean | undefined };
  let changes;
  try {
    ({ values } = parseArgs({ options }));
    changes = listChanges(root, values.since);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}\n`);
    return 1;
  }
  const { present, gone } = changes;
  if (present.length + gone.length === 0) {
    print("Nothing has changed since the last commit; -- --since main checks what a branch has changed.");
    return 0;
  }
  const plan = planCheck(changes, { files, edges: readEdges(gone) }, values.all);
  say("check", `${present.length} changed files${gone.length > 0 ? `, ${gone.length} deleted` : ""}`);
  describePlan(plan);
  if (values.plan) {
    for (const test of plan.tests) say("check", test);
    return 0;
  }
  fs.mkdirSync(path.dirname(report), { recursive: true });
  forgetMoved(modules, files);
  await Promise.all([runTests(plan), runTools(plan)]);

  print(
    `\nTook ${Math.round((performance.now() - began) / 1_000)} s at a load of ${(os.loadavg()[0] ?? 0).toFixed(1)}.`,
  );
  describePlan(plan);
  if (failures.length > 0) print(`Failed: ${failures.join(", ")}`);
  print(`${tally.passed} passed, ${tally.failed} failed`);
  return tally.failed > 0 ? 1 : 0;
}

process.exitCode = await main();
