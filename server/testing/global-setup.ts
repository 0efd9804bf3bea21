import pino from "pino";
import type { TestProject } from "vitest/node";
import { openTestRun, type TestRun } from "@/server/testing/database";

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
  return () => run.close();
}
