import { expect, test } from "vitest";
import { pool } from "@/server/platform/db";
import { readiness } from "@/server/platform/process/readiness";

test("a process whose connections lose their prepared statements, as behind a pooler, is not ready", async () => {
  expect(await readiness()).toMatchObject({ ready: true, checks: { database: "ok" } });
  // All that are open, so that none which keeps its statements is used.
  const open = Array.from({ length: Math.max(2, pool.totalCount) }, () => pool.connect());
  const connections = await Promise.all(open);
  for (const connection of connections) await connection.query("deallocate all");
  for (const connection of connections) connection.release();
  expect(await readiness()).toMatchObject({ ready: false, checks: { database: "failed" } });
});
