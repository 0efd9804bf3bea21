import pino from "pino";
import type { TestProject } from "vitest/node";
import { openTestRun, type TestRun } from "@/server/testing/database";
import { collectNotes } from "@/server/testing/rows/notes";

declare module "vitest" {
  export interface ProvidedContext {
    testRun: Pick<TestRun, "id" | "adminUrl" | "template">;
  }
}

/** Runs once before all tests. An error ends the run immediately, because it leaves no server and no open handle. */
export default async function globalSetup(project: TestProject): Promise<() => Promise<void>> {
  const run = await openTestRun(pino({ level: "warn" }));
  project.provide("testRun", { id: run.id, adminUrl: run.adminUrl, template: run.template });
  return async () => {
    const faults = await statementFaults(project, run.id);
    await run.close();
    if (faults.length === 0) return;
    project.vitest.logger.error(`\nRows of statements are not as declared:\n  ${faults.join("\n  ")}`);
    process.exitCode = 1;
  };
}

/**
 * The faults found in declared rows, including those that failed no test because product code caught the error. After
 * a complete run, statements that no test executed are listed too, because their rows were never compared.
 */
async function statementFaults(project: TestProject, run: string): Promise<string[]> {
  const { compared, faults } = collectNotes(run);
  const ran = project.vitest.state.getFiles();
  const complete =
    !project.vitest.config.testNamePattern &&
    ran.length === (await project.vitest.globTestSpecifications()).length &&
    !ran.some(({ result }) => result?.state === "fail");
  if (!complete) return faults;
  const { listStatements } = await import("@/server/testing/rows/statements");
  const missed = listStatements().filter((place) => !compared.has(place));
  return [...faults, ...missed.map((place) => `${place}: no test executes this statement`)];
}
