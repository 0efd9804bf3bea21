import { expect, test } from "vitest";
import type { CreateRule } from "@/domain/rules/schema";
import { reprocessRecording } from "@/server/features/recordings/service";
import { listEvaluations } from "@/server/features/rules/evaluation-queries";
import type { EvaluationResource } from "@/server/features/rules/resource";
import { startRun } from "@/server/features/rules/run-service";
import { createRule, updateRule } from "@/server/features/rules/service";
import { prisma } from "@/server/platform/db";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { jsonRecording, processedRecording, runJobs, temperatures } from "@/server/testing/processing";
import { underSettings } from "@/server/testing/settings";

const above = (value: number, topic = "/motor/temp"): CreateRule["condition"] => ({
  type: "threshold",
  topic,
  field: "data.value",
  operator: "gt",
  value,
});

/** An organization with rules of which one finds something, one nothing, and one cannot be evaluated. */
async function makeRules(): Promise<{ own: TestOrganization; deviceId: string; rules: string[] }> {
  const own = await makeOrganization();
  const { uid: deviceId } = await makeDevice(own);
  const rules: string[] = [];
  for (const condition of [above(80), above(500), above(1, "/none")]) {
    const actions: CreateRule["actions"] = [{ type: "tag", value: "hot" }];
    rules.push((await createRule(own.ctx, { name: "r", condition, actions })).uid);
  }
  return { own, deviceId, rules };
}

const process = async (own: TestOrganization, deviceId: string, SERIES: "both" | "store") =>
  underSettings({ SERIES }, async () =>
    processedRecording(own, deviceId, [await jsonRecording({ "/motor/temp": temperatures([70, 90]) })]),
  );

async function listAll(own: TestOrganization, rule: string, limit = 100): Promise<EvaluationResource[]> {
  const all: EvaluationResource[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await listEvaluations(own.ctx, rule, { limit, ...(cursor !== undefined && { cursor }) });
    all.push(...page.results);
    if (page.next === null) return all;
    cursor = page.next;
  }
}

/** How many evaluations of a recording have a row of their own, and how many are in that of the recording. */
async function countRows(recordingId: string): Promise<[own: number, quiet: number]> {
  const quiet = await prisma.quietEvaluations.findUnique({ where: { recordingId } });
  return [await prisma.ruleEvaluation.count({ where: { recordingId } }), quiet?.ruleIds.length ?? 0];
}

test("evaluations that found nothing are in one row a recording, and are listed as those with a row each", async () => {
  const { own, deviceId, rules } = await makeRules();
  const [rows, store] = [await process(own, deviceId, "both"), await process(own, deviceId, "store")];
  expect(await countRows(rows)).toEqual([3, 0]);
  expect(await countRows(store)).toEqual([1, 2]);
  for (const rule of rules) {
    const listed = await listAll(own, rule);
    expect(listed.map(({ recording_id: uid }) => uid)).toEqual([store, rows]);
    const [first, second] = listed.map(({ recording_id: _1, evaluated_at: _2, duration_ms: _3, ...rest }) => rest);
    expect(first).toEqual(second);
    expect(await listAll(own, rule, 1)).toEqual(listed);
    const { results } = await listEvaluations(own.ctx, rule, { limit: 10, status: ["not_applicable"] });
    expect(results).toHaveLength(rule === rules[2] ? 2 : 0);
  }
});

test("an evaluation is in one place after each later one, whichever finds something", async () => {
  const { own, deviceId, rules } = await makeRules();
  const [, nothing = "", inapplicable = ""] = rules;
  const uid = await process(own, deviceId, "store");
  const again = () =>
    underSettings({ SERIES: "store" }, async () => {
      await reprocessRecording(own.ctx, uid);
      await runJobs();
    });
  const versions = async () =>
    Promise.all(
      rules.map(async (rule) => (await listAll(own, rule)).map(({ version, hit_count }) => [version, hit_count])),
    );

  // Applied to what was recorded, a rule has a row of its own.
  await updateRule(own.ctx, nothing, { condition: above(85) });
  await startRun(own.ctx, nothing, {});
  await underSettings({ SERIES: "store" }, () => runJobs());
  expect(await countRows(uid)).toEqual([2, 1]);
  expect(await versions()).toEqual([[[1, 1]], [[2, 1]], [[1, 0]]]);

  await updateRule(own.ctx, nothing, { condition: above(900) });
  await again();
  expect(await countRows(uid)).toEqual([1, 2]);
  expect(await versions()).toEqual([[[1, 1]], [[3, 0]], [[1, 0]]]);

  // One that is not evaluated any more keeps its evaluation and the time of it.
  const before = await listAll(own, inapplicable);
  await updateRule(own.ctx, inapplicable, { enabled: false });
  await again();
  expect(await countRows(uid)).toEqual([2, 1]);
  expect(await listAll(own, inapplicable)).toEqual(before);

  // With a row each again.
  await reprocessRecording(own.ctx, uid);
  await runJobs();
  expect(await countRows(uid)).toEqual([3, 0]);
  expect(await versions()).toEqual([[[1, 1]], [[3, 0]], [[1, 0]]]);
  expect(await prisma.quietEvaluations.findUnique({ where: { recordingId: uid } })).toBeNull();
});

test("the results of a newer version stay", async () => {
  const { own, deviceId, rules } = await makeRules();
  const [, nothing = ""] = rules;
  await updateRule(own.ctx, nothing, { condition: above(95) });
  const uid = await process(own, deviceId, "store");
  const late = await startRun(own.ctx, nothing, {});
  await prisma.ruleRun.update({ where: { uid: late.run_uid }, data: { ruleVersion: 1 } });
  await runJobs();
  expect(await listAll(own, nothing)).toMatchObject([{ recording_id: uid, version: 2 }]);
  expect(await countRows(uid)).toEqual([1, 2]);
});
