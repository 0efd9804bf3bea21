import pino from "pino";
import type { TestProject } from "vitest/node";
import { processWide } from "@/server/platform/process-wide";
import { openTestRun, type TestRun } from "@/server/testing/database";
import { collectNotes, joinNotes } from "@/server/testing/rows/notes";

declare module "vitest" {
  export interface ProvidedContext {
    testRun: Pick<TestRun, "id" | "adminUrl" | "template">;
  }
}

/**
 * Runs before the tests of each kind that uses PostgreSQL; all kinds of a run have one server. An error ends the run
 * immediately, because it leaves no server and no open handle.
 */
export default async function globalSetup(project: TestProject): Promise<() => Promise<void>> {
  const { id, adminUrl, template } = await processWide("testRun", () => openTestRun(pino({ level: "warn" })));
  project.provide("testRun", { id, adminUrl, template });
  return () => processWide("testRunEnd", () => endTestRun(project));
}

/** Runs once after the tests of all kinds. */
async function endTestRun(project: TestProject): Promise<void> {
  const run = await processWide("testRun", () => openTestRun(pino({ level: "warn" })));
  const faults = await statementFaults(project, run.id);
  await run.close();
  if (faults.length === 0) return;
  project.vitest.logger.error(`\nRows of statements are not as declared:\n  ${faults.join("\n  ")}`);
  process.exitCode = 1;
}

/** The kinds whose tests together execute every statement. */
const kinds = ["database", "waiting", "program"];

/**
 * The faults found in declared rows, including those that failed no test because product code caught the error. Where all
 * tests of all kinds ran, statements that none of them executed are listed too, because their rows were never compared.
 */
async function statementFaults(project: TestProject, run: string): Promise<string[]> {
  const { compared, faults } = collectNotes(run);
  const complete = await completeKinds(project);
  const folder = process.env.MUSTER_TEST_STATEMENTS;
  const all = folder ? joinNotes(folder, complete, compared) : { kinds: complete, compared };
  if (!kinds.every((kind) => all.kinds.includes(kind))) return faults;
  const { listStatements } = await import("@/server/testing/rows/statements");
  const missed = listStatements().filter((place) => !all.compared.has(place));
  return [...faults, ...missed.map((place) => `${place}: no test executes this statement`)];
}

/** The kinds of which every test ran and passed. */
async function completeKinds({ vitest }: TestProject): Promise<string[]> {
  const ran = vitest.state.getFiles();
  if (vitest.config.testNamePattern || ran.some(({ result }) => result?.state === "fail")) return [];
  const all = await vitest.globTestSpecifications();
  return kinds.filter((kind) => {
    const count = all.filter((each) => each.project.name === kind).length;
    return count > 0 && count === ran.filter(({ projectName }) => projectName === kind).length;
  });
}
