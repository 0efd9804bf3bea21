import pino from "pino";
import type { TestProject } from "vitest/node";
import { openTestRun, type TestRun } from "@/server/testing/database";
import { recordComparison } from "@/server/testing/rows/notes";

declare module "vitest" {
  export interface ProvidedContext {
    testRun: Pick<TestRun, "id" | "adminUrl" | "template">;
  }
}

/**
 * Runs once before all tests. Whatever it throws ends the run at once, for it leaves no server and no handle behind.
 */
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
 * What the run found wrong with declared rows, be it that a product's catch kept it from failing a test. After a
 * complete run this includes the statements that no test executed, of which nothing is known.
 */
async function statementFaults(project: TestProject, run: string): Promise<string[]> {
  const { compared, faults } = recordComparison(run);
  const ran = project.vitest.state.getFiles();
  const complete =
    !project.vitest.config.testNamePattern &&
    ran.length === (await project.vitest.globTestSpecifications()).length &&
    !ran.some(({ result }) => result?.state === "fail");
  if (!complete) return faults;
  const { listStatements: statementsOf } = await import("@/server/testing/rows/statements");
  const missed = statementsOf().filter((place) => !compared.has(place));
  return [...faults, ...missed.map((place) => `${place}: no test executes this statement`)];
}
