import { beforeAll, describe, expect, test } from "vitest";
import type { PreviewResult } from "@/domain/rules/preview";
import type { RuleDetail } from "@/server/features/rules/resource";
import { prisma } from "@/server/platform/db";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { epoch, jsonRecording, processedRecording, second, temperatures } from "@/server/testing/processing";
import { request } from "@/server/testing/requests";

let org: TestOrganization;
let deviceId: string;

beforeAll(async () => {
  org = await makeOrganization();
  deviceId = (await makeDevice(org)).uid;
});

const condition = { type: "rate", topic: "/motor/temp", field: "data.value", operator: "gt", value: 5 };
const rule = (change: object = {}) => ({
  name: "Heats up fast",
  condition: { ...condition, ...change },
  actions: [{ type: "flag_for_review", severity: "error" }],
});
const send = <T = RuleDetail & Record<string, unknown>>(method: string, path: string, body?: unknown) =>
  request<T>(method, `/fleet/rules/${path}`, { key: org.key, ...(body !== undefined && { body }) });

describe("a rule on a rate", () => {
  test("is read as it was written, and is found by its type", async () => {
    const full = { over: "2s", window: "1s", recover: { operator: "lt", value: 1 }, cooldown: "1m" };
    const created = await send("POST", "", rule(full));
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      condition: { ...condition, ...full },
      condition_type: "rate",
      condition_text:
        "/motor/temp data.value rises faster than 5 per second over 2s for 1s until < 1 per second, at most once in 1m",
    });
    const { uid } = created.body;
    expect((await send("GET", `${uid}/`)).body).toEqual(created.body);
    const found = await send<{ results: { uid: string }[] }>("GET", "?condition_type=rate");
    expect(found.body.results.map((each) => each.uid)).toEqual([uid]);

    const changed = await send("PATCH", `${uid}/`, { condition: { ...condition, operator: "<", value: -2 } });
    expect(changed.body).toMatchObject({
      version: 2,
      condition: { ...condition, operator: "lt", value: -2 },
      condition_text: "/motor/temp data.value falls faster than 2 per second",
    });
    expect((await send("DELETE", `${uid}/`)).status).toBe(204);
  });

  test.each([
    [{ value: "fast" }, "value: A valid number is required."],
    [{ over: "0s" }, "over: Enter a duration such as 10s, 5m or 1m30s: more than zero, at most 30d."],
    [{ field: undefined }, "field: This field is required."],
  ])("with %j is refused at the condition, in every operation that takes one", async (change, message) => {
    const { uid } = (await send("POST", "", rule())).body;
    const wrong = rule(change);
    for (const [method, path, body] of [
      ["POST", "", wrong],
      ["PATCH", `${uid}/`, { condition: wrong.condition }],
      ["POST", "preview/", { condition: wrong.condition }],
    ] as const) {
      expect(await send(method, path, body)).toMatchObject({ status: 400, body: { condition: [message] } });
    }
    await send("DELETE", `${uid}/`);
  });

  test("triggers where its preview does, with both samples in the alert", async () => {
    const { uid } = (await send("POST", "", rule({ over: "2s" }))).body;
    const recording = await processedRecording(org, deviceId, [
      await jsonRecording({ "/motor/temp": temperatures([70, 71, 72, 85, 99, 99, 99]) }),
    ]);
    const alerts = await request("GET", `/fleet/alerts/?rule_id=${uid}`, { key: org.key });
    const alert = await request<{ message: string; evidence: { leaves: object[] } }>(
      "GET",
      `/fleet/alerts/${alerts.body.results[0]?.uid}/`,
      { key: org.key },
    );
    expect(alert.body).toMatchObject({
      message: "Motor temp rises 7 per second (limit 5 over 2 s)",
      evidence: {
        peak: 13.5,
        leaves: [
          {
            type: "rate",
            value: 7,
            earlier: [String(epoch + second), 71],
            later: [String(epoch + 3n * second), 85],
          },
        ],
      },
    });
    const stored = await prisma.ruleHit.findMany({ where: { ruleId: uid, recordingId: recording } });
    // Once from the file, once from the samples that the first preview cached.
    for (let time = 0; time < 2; time++) {
      const preview = await send<PreviewResult>("POST", "preview/", {
        condition: rule({ over: "2s" }).condition,
        recordings: [recording],
      });
      expect(preview.body.recordings[0]?.hits).toMatchObject(
        stored.map((hit) => ({
          triggered_ns: String(hit.triggeredNs),
          peak: hit.peak,
          evidence: { leaves: (hit.evidence as { leaves: object[] }).leaves },
        })),
      );
    }
    expect(stored).toHaveLength(1);
    await send("DELETE", `${uid}/`);
  });
});
