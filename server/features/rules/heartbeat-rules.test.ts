import { beforeAll, expect, test } from "vitest";
import type { RuleDetail } from "@/server/features/rules/resource";
import { rulesInScope } from "@/server/features/rules/scope-queries";
import { prisma } from "@/server/platform/db";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { jsonRecording, processedRecording } from "@/server/testing/processing";
import { createTrpcCaller, request } from "@/server/testing/requests";

let org: TestOrganization;
let deviceId: string;

beforeAll(async () => {
  org = await makeOrganization();
  deviceId = (await makeDevice(org)).uid;
});

const low = { type: "threshold", topic: "@heartbeat", field: "disk..free-gb", operator: "lt", value: 20 };
const recorded = { type: "threshold", topic: "/power", field: "battery", operator: "lt", value: 20 };
const actions = [{ type: "flag_for_review" }];
const post = (body: object) =>
  request<RuleDetail & Record<string, unknown>>("POST", "/fleet/rules/", {
    key: org.key,
    body: { name: "Low", actions, ...body },
  });
const preview = (body: object) => request("POST", "/fleet/rules/preview/", { key: org.key, body });

test("a rule on heartbeats is evaluated on no recording, whatever topics that has", async () => {
  const live = await post({ condition: low });
  expect(live).toMatchObject({ status: 201, body: { condition: low, warnings: [] } });
  const glob = await post({ condition: { ...recorded, topic: "**" } });
  expect((await rulesInScope(org.ctx, deviceId)).map(({ uid }) => uid)).toEqual([glob.body.uid]);
  const sent = { "disk..free-gb": 3, battery: 3 };
  const recordingId = await processedRecording(org, deviceId, [await jsonRecording({ "@heartbeat": [[0, sent]] })]);
  const evaluations = await prisma.ruleEvaluation.findMany({ where: { recordingId } });
  expect(evaluations.map(({ ruleId, status }) => [ruleId, status])).toEqual([[glob.body.uid, "not_applicable"]]);
});

test("a rule on heartbeats is neither run nor previewed over recordings", async () => {
  const { body } = await post({ condition: low });
  const other = await post({ condition: recorded });
  expect(await request("POST", `/fleet/rules/${body.uid}/run/`, { key: org.key, body: {} })).toMatchObject({
    status: 400,
    body: { non_field_errors: ["A rule on @heartbeat watches heartbeats; it cannot be run over recordings."] },
  });
  const reason = "Heartbeats are in no recording: a rule on @heartbeat cannot be previewed over recordings.";
  expect(await preview({ condition: low })).toMatchObject({ status: 400, body: { condition: [reason] } });
  expect(await preview({ condition: recorded, rule_id: body.uid })).toMatchObject({
    status: 400,
    body: { rule_id: [reason] },
  });
  expect((await preview({ condition: recorded, rule_id: other.body.uid })).status).toBe(200);
  await expect(createTrpcCaller(org).rules.preview({ condition: low })).rejects.toThrow();
});

test("a rule on heartbeats only notifies and flags for review, however it comes to be one", async () => {
  const refusal = { status: 400, body: { actions: [expect.stringContaining("only notify or flag_for_review")] } };
  const tag = [{ type: "tag", value: "low" }];
  expect(await post({ condition: low, actions: tag })).toMatchObject(refusal);
  const live = await post({ condition: low });
  const patch = (uid: string, body: unknown) => request("PATCH", `/fleet/rules/${uid}/`, { key: org.key, body });
  expect(await patch(live.body.uid, { actions: tag })).toMatchObject(refusal);
  const tagging = await post({ condition: recorded, actions: tag });
  expect(await patch(tagging.body.uid, { condition: low })).toMatchObject(refusal);
  expect((await patch(tagging.body.uid, { condition: low, actions })).status).toBe(200);
  expect((await patch(tagging.body.uid, { name: "Renamed" })).status).toBe(200);
});

test("heartbeats are not combined with topics of recordings", async () => {
  const both = { type: "composite", operator: "or", conditions: [low, recorded] };
  const refused = { status: 400, body: { condition: [expect.stringContaining("cannot be combined")] } };
  expect(await post({ condition: both })).toMatchObject(refused);
  expect(await preview({ condition: both })).toMatchObject(refused);
});
