import { beforeEach, expect, test } from "vitest";
import { apply } from "@/server/features/retention/jobs";
import { notingOutcome, readOutcomes } from "@/server/features/retention/outcome-service";
import { prisma } from "@/server/platform/db";
import { logFor } from "@/server/platform/log";
import { makeOrganization } from "@/server/testing/factories";

const { signal } = new AbortController();
const run = { attempt: { jobId: "0", attempt: 1 }, lastAttempt: false, signal, log: logFor("test") };
const deletes = (organizationId: string | null) => apply.run({ organizationId }, run);
const fails = (organizationId: string | null, aborted = false) =>
  expect(
    notingOutcome(organizationId, { ...run, signal: aborted ? AbortSignal.abort() : signal }, () =>
      Promise.reject(new Error("the disk is full")),
    ),
  ).rejects.toThrow("the disk is full");

beforeEach(async () => {
  await prisma.operatorRetention.deleteMany();
  await prisma.retentionRun.deleteMany();
});

test("the operator's deletion is noted when it comes to its end and when it fails, and a success ends the failure", async () => {
  expect((await readOutcomes()).operator).toEqual({ finished: null, failing: 0 });
  await fails(null);
  expect((await readOutcomes()).operator).toEqual({ finished: null, failing: 1 });
  expect(await prisma.operatorRetention.findFirst()).toMatchObject({ error: "the disk is full" });
  await deletes(null);
  const { operator } = await readOutcomes();
  expect(operator).toEqual({ finished: expect.any(Number), failing: 0 });
  expect(Math.abs((operator?.finished ?? 0) - Date.now() / 1_000)).toBeLessThan(60);
  await fails(null);
  expect((await readOutcomes()).operator).toEqual({ finished: operator?.finished, failing: 1 });
});

test("of organizations the oldest end counts, and how many failed, without those that retain everything", async () => {
  const [first, second, without] = await Promise.all([makeOrganization(), makeOrganization(), makeOrganization()]);
  for (const { uid } of [first, second])
    await prisma.organization.update({ where: { uid }, data: { settings: { retention: { alerts: 30 } } } });
  for (const { uid } of [first, second, without]) await deletes(uid);
  const ended = new Date("2026-01-02T00:00:00Z");
  await prisma.retentionRun.update({ where: { organizationId: second.uid }, data: { finishedAt: ended } });
  const old = { failedAt: new Date(), finishedAt: new Date(0) };
  await prisma.retentionRun.update({ where: { organizationId: without.uid }, data: old });
  await fails(first.uid);
  expect((await readOutcomes()).organizations).toEqual({ finished: ended.getTime() / 1_000, failing: 1 });
  await deletes(first.uid);
  expect((await readOutcomes()).organizations).toMatchObject({ failing: 0 });
});

test("a deletion that a stopping worker interrupts has not failed", async () => {
  await fails(null, true);
  expect((await readOutcomes()).operator?.failing).toBe(0);
});
