import { expect, test } from "vitest";
import { releaseLeases } from "@/server/features/tasks/lease-service";
import { prisma } from "@/server/platform/db";
import { addMember, makeOrganization } from "@/server/testing/factories";
import { makeTasks, nextTask } from "@/server/testing/labelling";
import { request } from "@/server/testing/requests";

test("people who get tasks and give them back at once: none is given to two, and none is lost", async () => {
  const org = await makeOrganization();
  const { project, tasks } = await makeTasks(org, 5);
  const people = await Promise.all(Array.from({ length: 8 }, () => addMember(org)));
  const held = new Set<string>();
  const twice: string[] = [];
  const work = async (who: (typeof people)[number]) => {
    for (let round = 0; round < 10; round++) {
      const { status, body } = await nextTask(project, who);
      if (status === 204) continue;
      const { uid } = body.task;
      if (held.has(uid)) twice.push(uid);
      held.add(uid);
      await releaseLeases();
      // Somebody else may have it before this answer is here.
      held.delete(uid);
      const path = `/tasks/${uid}/release/`;
      const released = await request("POST", path, { key: who.key, body: { lease: body.lease?.token } });
      expect(released.status).toBe(200);
    }
  };
  await Promise.all(people.map(work));
  expect(twice).toEqual([]);
  const free = { status: "pending", leaseUser: null, assigneeId: null };
  expect(await prisma.task.count({ where: { projectId: project, ...free } })).toBe(tasks.length);
  const batches = await prisma.workBatch.aggregate({ where: { projectId: project }, _sum: { startedCount: true } });
  expect(batches._sum.startedCount).toBe(0);
  const given: string[] = [];
  for (const _ of tasks) given.push((await nextTask(project, org)).body.task.uid);
  expect(given.toSorted()).toEqual(tasks.toSorted());
  expect((await nextTask(project, org)).status).toBe(204);
}, 120_000);
