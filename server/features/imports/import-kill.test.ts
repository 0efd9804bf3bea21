import { existsSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import * as importJobs from "@/server/features/imports/jobs";
import { pool, prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { bundleProgram, killNow, startProgram } from "@/server/testing/child-program";
import { makeOrganization } from "@/server/testing/factories";
import { checkFile, cocoDocument, makeImportProject, readImport } from "@/server/testing/imports";
import { runJobs } from "@/server/testing/processing";
import { returnJobs } from "@/server/testing/queued-jobs";
import { request } from "@/server/testing/requests";

const pictures = 1_500;

let program: Awaited<ReturnType<typeof bundleProgram>>;
beforeAll(async () => {
  program = await bundleProgram("import-process");
});
afterAll(() => program.remove());

test("an import whose worker is killed in the middle goes on in the next one: each result once, and all counts are right", async () => {
  const org = await makeOrganization();
  const keys = Array.from({ length: pictures }, (_, at) => `${at}.png`);
  const project = await makeImportProject(org, keys);
  const { uid } = await checkFile(org, project.uid, cocoDocument(keys, { boxes: 2 }));
  await request("POST", `/imports/${uid}/start/`, { key: org.key, body: { mode: "accepted" } });
  const done = async () => (await prisma.annotationImport.findUniqueOrThrow({ where: { uid } })).position;
  // It cannot come to the end: another program holds a task in the middle.
  const other = await pool.connect();
  await other.query("begin");
  await other.query("select from tasks where uid = $1 for update", [project.tasks[pictures / 2]]);
  const [child] = await startProgram(program.file, { ORGANIZATION: org.uid, IMPORT: uid, NODE_OPTIONS: "" });
  await vi.waitUntil(async () => child.exitCode !== null || (await done()) > 0, { timeout: 60_000, interval: 2 });
  await killNow(child);
  await other.query("rollback");
  other.release();
  const half = await done();
  expect(half).toBeGreaterThan(0);
  expect(half).toBeLessThan(pictures);
  expect(await prisma.result.count({ where: { projectId: project.uid } })).toBe(half);

  await returnJobs(`worker of ${uid}`);
  await runJobs([importJobs.run]);
  expect(await readImport(org, uid)).toMatchObject({
    status: "done",
    position: pictures,
    done: pictures,
    unchanged: 0,
    failed: 0,
    annotation_count: pictures * 2,
  });
  const results = await prisma.result.findMany({ where: { projectId: project.uid }, select: { taskId: true } });
  expect(new Set(results.map(({ taskId }) => taskId)).size).toBe(pictures);
  expect(results).toHaveLength(pictures);
  const counts = { completedCount: pictures, acceptedCount: pictures, status: "completed" };
  expect(await prisma.project.findUniqueOrThrow({ where: { uid: project.uid } })).toMatchObject(counts);
  const { annotationCount } = await prisma.dataset.findUniqueOrThrow({ where: { uid: project.dataset } });
  expect(annotationCount).toBe(pictures * 2);
  expect(existsSync(path.join(env.DATA_DIR, "tmp", `import-${uid}`))).toBe(false);
});
