import fs from "node:fs";
import path from "node:path";
import pino from "pino";
import { inject } from "vitest";
import { cloneTemplate, openOwnServer, testFolder } from "@/server/testing/database";
import { noteStatements } from "@/server/testing/rows/notes";
import { checkRows } from "@/server/testing/rows/row-check";

// Runs before each test file, and before any module of the product reads the environment. Files of one kind in one worker
// share a database and a process, hence their pools and caches too; what they write is separated by organization. Programs
// that copy a whole installation would copy what all other tests have left.
const run = inject("testRun");
const worker = `${process.env.MUSTER_TEST_KIND}_${process.env.VITEST_POOL_ID ?? "1"}`;
const name = `run_${run.id}_${worker}`;

if (process.env.MUSTER_TEST_DATABASE !== name) {
  const dataDir = path.join(testFolder, "data", run.id, worker);
  fs.mkdirSync(dataDir, { recursive: true });
  process.env.DATA_DIR = dataDir;
  process.env.DATABASE_URL =
    process.env.MUSTER_TEST_KIND === "vacuum"
      ? await openOwnServer(dataDir, pino({ level: "warn" }))
      : await cloneTemplate(run.adminUrl, run.template, name);
  process.env.MUSTER_TEST_DATABASE = name;
  await checkRows(process.env.DATABASE_URL, noteStatements(run.id, worker));
}
