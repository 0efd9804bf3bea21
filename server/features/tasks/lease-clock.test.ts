import { afterEach, beforeAll, expect, test, vi } from "vitest";
import type { OpenedTask } from "@/server/features/tasks/labelling-resource";
import { releaseLeases } from "@/server/features/tasks/lease-service";
import { databaseClock } from "@/server/platform/clock";
import { prisma } from "@/server/platform/db";
import { measureClock } from "@/server/platform/process/clock-check";
import { addMember, makeOrganization, type TestMember, type TestOrganization } from "@/server/testing/factories";
import { makeTasks, nextTask } from "@/server/testing/labelling";
import { setMachineAhead } from "@/server/testing/machine-clock";
import { requestsWith } from "@/server/testing/requests";

/** Leases between processes on machines whose clocks differ. */

const minuteMs = 60_000;
/** Far more than a test takes. */
const toleranceMs = 5 * minuteMs;

let org: TestOrganization;
let ana: TestMember;
let ben: TestMember;
beforeAll(async () => {
  org = await makeOrganization();
  [ana, ben] = await Promise.all([addMember(org), addMember(org)]);
});
afterEach(() => {
  vi.useRealTimers();
  databaseClock.forget();
});
const call = requestsWith(() => org.key);

/** Goes on as a process of a machine whose clock is ahead by so much. */
async function beProcess(aheadMs: number): Promise<void> {
  vi.useRealTimers();
  databaseClock.forget();
  if (aheadMs !== 0) setMachineAhead(aheadMs);
  await measureClock();
}

test.each([
  { machine: "a minute ahead", ahead: minuteMs },
  { machine: "an hour ahead", ahead: 60 * minuteMs },
  { machine: "an hour behind", ahead: -60 * minuteMs },
])("a lease lasts 30 minutes by the database's clock where a machine's is $machine", async ({ ahead }) => {
  const right = Date.now();
  const { project, first } = await makeTasks(org, 1);
  const open = (who: TestMember) => call<OpenedTask>("POST", `/tasks/${first}/open/`, { lease: true }, who.key);
  const readUntil = async () =>
    (await prisma.task.findUniqueOrThrow({ where: { uid: first } })).leaseUntil?.getTime() ?? 0;
  const isRight = (until: number) => Math.abs(until - right - 30 * minuteMs) < toleranceMs;

  // Given by a process that is wrong, seen by one that is right.
  await beProcess(ahead);
  const lease = (await open(ana)).body.lease?.token;
  expect(await readUntil()).toSatisfy(isRight);
  await beProcess(0);
  await releaseLeases();
  expect([(await open(ben)).status, (await nextTask(project, ben)).status]).toEqual([409, 204]);

  // Renewed by one that is right, seen by one that is wrong.
  expect((await call("POST", `/tasks/${first}/renew/`, { lease, seconds: 0 }, ana.key)).status).toBe(200);
  await beProcess(ahead);
  await releaseLeases();
  expect([(await open(ben)).status, (await nextTask(project, ben)).status]).toEqual([409, 204]);
  expect(await readUntil()).toSatisfy(isRight);

  // Over by the database's time.
  await prisma.task.update({ where: { uid: first }, data: { leaseUntil: new Date(right - 1) } });
  await releaseLeases();
  expect((await nextTask(project, ben)).body.task.uid).toBe(first);
  expect(await readUntil()).toSatisfy(isRight);
});
