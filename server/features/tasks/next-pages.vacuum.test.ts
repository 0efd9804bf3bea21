import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { nextStatement } from "@/server/features/tasks/next-queries";
import type { Ctx } from "@/server/platform/context";
import { pool, prisma } from "@/server/platform/db";
import { addMember, makeOrganization, type TestMember, type TestOrganization } from "@/server/testing/factories";
import { isFull } from "@/server/testing/generated-cases";
import { makeTasks } from "@/server/testing/labelling";

/** What PostgreSQL reads to find the next task of somebody. */

const many = isFull ? 25_000 : 2_500;

let org: TestOrganization;
let ana: TestMember;
let ben: TestMember;
let cai: TestMember;
const projects = { waiting: "", done: "", begun: "", assigned: "" };

beforeAll(async () => {
  org = await makeOrganization();
  [ana, ben, cai] = await Promise.all([addMember(org), addMember(org), addMember(org)]);
  for (const name of Object.keys(projects)) Object.assign(projects, { [name]: (await makeTasks(org, 1)).project });
  const set = (projectId: string, data: object) => prisma.task.updateMany({ where: { projectId }, data });
  await set(projects.done, { status: "completed" });
  await set(projects.begun, { status: "in_progress", assigneeId: cai.uid, assignedBy: "self" });
  await set(projects.assigned, { assigneeId: ben.uid, assignedBy: "admin" });
});

/** Copies the first task of each project with its item until the projects have so many. */
async function fill(from: number, to: number): Promise<void> {
  for (const projectId of Object.values(projects)) {
    const first = await prisma.task.findFirstOrThrow({ where: { projectId }, orderBy: { uid: "asc" } });
    const uid = (column: string) => `overlay(${column} placing lpad(to_hex(n), 12, '0') from 25)`;
    const copy = (table: string, changed: string) =>
      pool.query(
        `insert into ${table} select (jsonb_populate_record(r, jsonb_build_object(${changed}))).* from ${table} r, generate_series($2::int, $3::int) n where r.uid = $1`,
        [table === "items" ? first.itemId : first.uid, from + 1, to],
      );
    await copy("items", `'uid', ${uid("r.uid")}, 'key', n::text, 'storage_key', n::text`);
    await copy("tasks", `'uid', ${uid("r.uid")}, 'item_id', ${uid("r.item_id")}, 'name', n::text`);
  }
}

const Plan = z.tuple([z.object({ "QUERY PLAN": z.tuple([z.object({ Plan: z.record(z.string(), z.unknown()) })]) })]);

/** How many pages of tables and indexes are read to find the next task of a person, in a project or in all. */
async function countPages(
  { uid: userId, username }: TestMember,
  project: string | undefined,
  isLocked: boolean,
): Promise<number> {
  const as: Ctx = {
    ...org.ctx,
    actor: { ...org.ctx.actor, userId, username },
    permissions: { ...org.ctx.permissions, role: "member" },
  };
  const { text, values } = nextStatement(as, { project, not: [] }, { isLocked });
  const client = await pool.connect();
  try {
    await client.query("begin");
    const { rows } = await client.query(`explain (analyze, buffers, format json) ${text}`, values);
    const [{ "QUERY PLAN": plan }] = Plan.parse(rows);
    return Number(plan[0].Plan["Shared Hit Blocks"]) + Number(plan[0].Plan["Shared Read Blocks"]);
  } finally {
    await client.query("rollback");
    client.release();
  }
}

test(`the next task is found by reading 100 pages, be ${many} waiting, begun, assigned or done, and whatever the statistics`, async () => {
  const counts: Record<string, number> = {};
  const count = async (when: string) => {
    for (const [who, member] of Object.entries({ ana, ben }))
      for (const [name, project] of Object.entries({ ...projects, "all projects": undefined }))
        for (const isLocked of [true, false])
          counts[`${who} in ${name}, ${when}, ${isLocked ? "locked" : "looked at"}`] = await countPages(
            member,
            project,
            isLocked,
          );
  };
  const analyze = () => pool.query("analyze items, tasks, results, projects");
  await analyze();
  await fill(0, many);
  await count("by statistics of before they were made");
  await analyze();
  await count("by statistics of now");
  expect(Object.entries(counts).filter(([, pages]) => pages > 100)).toEqual([]);
}, 300_000);
