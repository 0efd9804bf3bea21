import { expect, test } from "vitest";
import { pool } from "@/server/platform/db";
import { readiness } from "@/server/platform/process/readiness";

test("a process whose connections lose their prepared statements, as behind a pooler, is not ready", async () => {
  // The first time more connections are used, and the pool then gives the one that was used last.
  await readiness();
  expect(await readiness()).toMatchObject({ ready: true, checks: { database: "ok" } });
  const connection = await pool.connect();
  await connection.query("deallocate all");
  connection.release();
  expect(await readiness()).toMatchObject({ ready: false, checks: { database: "failed" } });
});
