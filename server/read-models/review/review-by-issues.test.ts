import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { ReviewFilters } from "@/domain/tasks/review-schema";
import { Prisma } from "@/server/platform/database/generated/client";
import { pool, prisma } from "@/server/platform/db";
import { reviewStatement } from "@/server/read-models/review/review-queue";
import { addMember, makeOrganization, type TestMember, type TestOrganization } from "@/server/testing/factories";
import { makeTasks } from "@/server/testing/labelling";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";

/** The queue of a project by what is open about its tasks. */

let org: TestOrganization;
let ana: TestMember;
let project: string;
let tasks: string[];
const call = requestsWith(() => org.key);
const annotations = [{ label: "car", type: "bbox", coordinates: { x: 1, y: 1, width: 2, height: 2 } }];

const trpc = () => createTrpcCaller(org);
const pin = (at: number) => trpc().issues.create({ uid: tasks[at] ?? "", kind: "missing", text: "" });
const submit = (at: number) => call("POST", `/tasks/${tasks[at]}/results/`, { annotations }, ana.key);
const queue = (filters: object = {}) => trpc().results.queue({ project, ...filters });
/** Which task each row is of, and what is open about it. */
const list = async (filters: object = {}) =>
  (await queue(filters)).results.map(({ task, open_issues: count }) => [tasks.indexOf(task), count]);

beforeAll(async () => {
  org = await makeOrganization();
  ana = await addMember(org);
  ({ project, tasks } = await makeTasks(org, 5));
  for (const at of [0, 1, 2, 3]) await submit(at);
  for (const at of [1, 3, 1, 2]) await pin(at);
});

test("what most is open about comes first, then the newest", async () => {
  expect(await list({ sort: "issues" })).toEqual([
    [1, 2],
    [3, 1],
    [2, 1],
    [0, 0],
  ]);
});

test("those with open issues alone are listed, in any order", async () => {
  expect(await list({ issues: "open" })).toEqual([
    [1, 2],
    [2, 1],
    [3, 1],
  ]);
  expect(await list({ issues: "open", sort: "issues", label: "car" })).toHaveLength(3);
  expect(await list({ issues: "open", label: "person" })).toEqual([]);
});

test("what was resolved counts no more, and again once it is opened", async () => {
  const issue = await pin(0);
  const { issues } = trpc();
  expect(await list({ sort: "issues", limit: 2 })).toEqual([
    [1, 2],
    [3, 1],
  ]);
  await issues.update({ uid: issue.uid, state: "resolved" });
  expect(await list({ issues: "open" })).toHaveLength(3);
  await issues.update({ uid: issue.uid, state: "open" });
  expect(await list({ issues: "open" })).toHaveLength(4);
  await prisma.issue.delete({ where: { uid: issue.uid } });
  expect(await list({ issues: "open" })).toHaveLength(3);
});

test("issues that one statement changes are counted of each task", async () => {
  const ofProject = { projectId: project };
  await prisma.issue.updateMany({ where: ofProject, data: { state: "resolved" } });
  expect(await list({ issues: "open" })).toEqual([]);
  await prisma.issue.updateMany({ where: ofProject, data: { state: "open", text: "again" } });
  await prisma.issue.updateMany({ where: ofProject, data: { text: "more" } });
  expect(await list({ issues: "open" })).toEqual([
    [1, 2],
    [2, 1],
    [3, 1],
  ]);
});

test("every row is on one page, forwards and back, those of one task, too", async () => {
  const { results } = trpc();
  for (const round of [1, 2]) {
    if (round > 1) await submit(1);
    const { results: waiting } = await queue({ sort: "issues" });
    await results.reject({ uid: waiting.find(({ task }) => task === tasks[1])?.uid ?? "" });
  }
  await results.reject({ uid: (await queue({ sort: "issues" })).results[0]?.uid ?? "" });
  const of = { state: "rejected", sort: "issues" };
  const all = (await queue(of)).results.map(({ uid }) => uid);
  expect(await list(of)).toEqual([
    [1, 2],
    [1, 2],
    [3, 1],
  ]);
  const first = await queue({ ...of, limit: 1 });
  const second = await queue({ ...of, limit: 1, cursor: first.next });
  const third = await queue({ ...of, limit: 1, cursor: second.next });
  const back = await queue({ ...of, limit: 1, cursor: third.previous });
  expect([first, second, third, back].map((page) => page.results.map(({ uid }) => uid))).toEqual(
    [0, 1, 2, 1].map((at) => [all[at]]),
  );
  expect(third.next).toBeNull();
});

const Plan = z.tuple([z.object({ "QUERY PLAN": z.tuple([z.object({ Plan: z.record(z.string(), z.unknown()) })]) })]);

test("a page of many is read from the index, whichever page it is", { timeout: 60_000 }, async () => {
  const many = 4_000;
  const { project: large } = await makeTasks(org, 1);
  const { uid, itemId } = await prisma.task.findFirstOrThrow({ where: { projectId: large } });
  await call("POST", `/tasks/${uid}/results/`, { annotations }, ana.key);
  const client = await pool.connect();
  try {
    await client.query("begin");
    const id = (column: string) => `overlay(${column} placing lpad(to_hex(n), 12, '0') from 25)`;
    const copy = (table: string, by: string, of: string, changed: string) =>
      client.query(
        `insert into ${table} select (jsonb_populate_record(r, jsonb_build_object('uid', ${id("r.uid")}, ${changed}))).*
          from ${table} r, generate_series(1, $2::int) n where r.${by} = $1`,
        [of, many],
      );
    await copy("items", "uid", itemId, "'key', n::text, 'storage_key', n::text");
    await copy("tasks", "uid", uid, `'item_id', ${id("r.item_id")}, 'open_issues', n % 3`);
    await copy("results", "task_id", uid, `'item_id', ${id("r.item_id")}, 'task_id', ${id("r.task_id")}`);
    await client.query("analyze items, tasks, results");
    const { order, read } = reviewStatement(org.ctx, ReviewFilters.parse({ project: large, sort: "issues" }), []);
    const orderBy = Prisma.raw(order.columns.map((column) => `${column} desc`).join(", "));
    const columns = Prisma.join(order.columns.map((column) => Prisma.raw(column)));
    const countPages = async (key: (string | number)[] | null) => {
      const where = key ? Prisma.sql`(${columns}) < (${Prisma.join(key)})` : Prisma.sql`true`;
      const { text, values } = read({ where, orderBy, descending: true, key, limit: 11 });
      const { rows } = await client.query(`explain (analyze, buffers, format json) ${text}`, values);
      const [{ "QUERY PLAN": plan }] = Plan.parse(rows);
      expect(plan[0].Plan["Actual Rows"]).toBe(11);
      return Number(plan[0].Plan["Shared Hit Blocks"]) + Number(plan[0].Plan["Shared Read Blocks"]);
    };
    expect(await countPages(null)).toBeLessThan(300);
    expect(await countPages([0, "f", "f"])).toBeLessThan(300);
    expect(await countPages([1, uid, "f"])).toBeLessThan(300);
  } finally {
    await client.query("rollback");
    client.release();
  }
});
