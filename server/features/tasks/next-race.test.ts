import { beforeAll, expect, test } from "vitest";
import { prisma, pool } from "@/server/platform/db";
import { uuidv7 } from "@/server/platform/uid";
import { addMember, makeOrganization, type TestMember, type TestOrganization } from "@/server/testing/factories";
import { isFull } from "@/server/testing/generated-cases";
import { makeLabellingProject } from "@/server/testing/labelling";
import { createTrpcCaller } from "@/server/testing/requests";

/** Many people who ask for the next task at the same time, on the connections of a web process. */

const { people, tasks } = isFull ? { people: 50, tasks: 5_000 } : { people: 20, tasks: 200 };

let org: TestOrganization;
let members: TestMember[];
let project: string;

beforeAll(async () => {
  org = await makeOrganization();
  members = [];
  for (let at = 0; at < people; at++) members.push(await addMember(org));
  project = (await makeLabellingProject(org)).uid;
  const first = await prisma.task.findFirstOrThrow({ where: { projectId: project } });
  const item = await prisma.item.findUniqueOrThrow({ where: { uid: first.itemId } });
  const made = Array.from({ length: tasks - 1 }, (_, at) => ({ item: uuidv7(), task: uuidv7(), at: at + 1 }));
  const { metadata: _, ...copied } = item;
  await prisma.item.createMany({ data: made.map(({ item: uid, at }) => ({ ...copied, uid, key: `${at}.png` })) });
  const batches = Array.from({ length: Math.ceil(tasks / 100) - 1 }, (_each, at) => ({
    uid: uuidv7(),
    organizationId: org.uid,
    projectId: project,
    number: at + 2,
    taskCount: 100,
  }));
  await prisma.workBatch.createMany({ data: batches });
  const findBatch = (at: number) => batches[Math.floor(at / 100) - 1]?.uid ?? first.batchId;
  await prisma.task.createMany({
    data: made.map(({ item: itemId, task: uid, at }) => ({
      ...first,
      uid,
      itemId,
      batchId: findBatch(at),
      name: `${at}`,
    })),
  });
  await prisma.project.update({ where: { uid: project }, data: { taskCount: tasks } });
  await pool.query("analyze items, tasks, work_batches");
}, 300_000);

test(`${people} people get ${tasks} tasks, and nobody gets one that another has`, async () => {
  const given: string[] = [];
  const took: number[] = [];
  const work = async (who: TestMember) => {
    const trpc = createTrpcCaller(org, who);
    for (;;) {
      const from = performance.now();
      const next = await trpc.tasks.next({ project });
      if (!next) return;
      took.push(performance.now() - from);
      given.push(next.task.uid);
    }
  };
  const from = performance.now();
  await Promise.all(members.map(work));
  const seconds = (performance.now() - from) / 1_000;
  const p95 = took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.95)] ?? 0;
  process.stdout.write(`${given.length} tasks in ${seconds.toFixed(1)} s, p95 ${p95.toFixed(0)} ms\n`);
  expect(given).toHaveLength(tasks);
  expect(new Set(given).size).toBe(tasks);
  const held = await prisma.task.groupBy({
    by: ["status"],
    where: { projectId: project, leaseUser: { not: null } },
    _count: true,
  });
  expect(held).toEqual([{ status: "in_progress", _count: tasks }]);
  const started = await prisma.workBatch.aggregate({ where: { projectId: project }, _sum: { startedCount: true } });
  expect(started._sum.startedCount).toBe(tasks);
}, 900_000);
