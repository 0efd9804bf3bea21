import { beforeAll, describe, expect, test } from "vitest";
import { conditionTypes } from "@/domain/rules/schema";
import type { NoiseResource, RuleDetail } from "@/server/features/rules/resource";
import { prisma } from "@/server/platform/db";
import { newUid } from "@/server/platform/uid";
import { makeChannel } from "@/server/testing/alerts";
import { addMember, makeDevice, makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { jsonRecording, processedRecording, temperatures } from "@/server/testing/processing";
import { request, createTrpcCaller } from "@/server/testing/requests";

let org: TestOrganization;
let foreign: TestOrganization;
let deviceId: string;

beforeAll(async () => {
  [org, foreign] = [await makeOrganization(), await makeOrganization()];
  deviceId = (await makeDevice(org)).uid;
});

const condition = { type: "threshold", topic: "/motor/temp", field: "data.value", operator: "gt", value: 80 };
const actions = [{ type: "flag_for_review" }];
const rule = (over: Record<string, unknown> = {}) => ({ name: "Motor too hot", condition, actions, ...over });
const post = (body: unknown, key = org.key) =>
  request<RuleDetail & Record<string, unknown>>("POST", "/fleet/rules/", { key, body });
const get = (uid: string) => request<RuleDetail>("GET", `/fleet/rules/${uid}/`, { key: org.key });
const patch = (uid: string, body: unknown) =>
  request<RuleDetail>("PATCH", `/fleet/rules/${uid}/`, { key: org.key, body });

describe("a rule", () => {
  test("is read as it was returned at creation", async () => {
    const created = await post(rule({ description: "d", scope: { device_ids: [deviceId] } }));
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      enabled: true,
      condition,
      actions,
      scope: { device_ids: [deviceId] },
      hit_count: 0,
      last_hit_at: null,
      version: 1,
      builtin: false,
      condition_text: "/motor/temp data.value > 80",
    });
    expect((await get(created.body.uid)).body).toEqual(created.body);
  });

  test("answers symbols by their names and keeps a decimal string", async () => {
    const { body } = await post(rule({ condition: { ...condition, operator: ">=", value: "9007199254740993" } }));
    expect(body.condition).toMatchObject({ operator: "gte", value: "9007199254740993" });
  });

  test("is found by the filters of the list, newest first, page by page", async () => {
    const own = await makeOrganization();
    const names = ["a", "b", "c"];
    for (const name of names) await post(rule({ name, enabled: name !== "b" }), own.key);
    const list = async (query: string) => (await request("GET", `/fleet/rules/?${query}`, { key: own.key })).body;
    expect((await list("condition_type=threshold")).results.map((r) => r.name)).toEqual(["c", "b", "a"]);
    expect((await list("enabled=false")).results.map((r) => r.name)).toEqual(["b", "Battery low"]);
    expect((await list("condition_type=absence,composite")).results.map((r) => r.name)).toEqual([
      "Battery low",
      "Device offline",
    ]);
    const first = await list("condition_type=threshold&limit=2");
    const second = await request("GET", first.next ?? "", { key: own.key });
    expect(second.body.results.map((r) => r.name)).toEqual(["a"]);
    expect((await request("GET", "/fleet/rules/?condition_type=odd", { key: own.key })).body).toEqual({
      condition_type: [`"odd" is not a valid choice. Choices: ${conditionTypes.join(", ")}.`],
    });
  });

  test("of another organization is not found by any operation", async () => {
    const { body } = await post(rule(), foreign.key);
    for (const [method, path] of [
      ["GET", ""],
      ["PATCH", ""],
      ["DELETE", ""],
      ["POST", "run/"],
      ["GET", "versions/"],
      ["GET", "evaluations/"],
      ["GET", "hits/"],
      ["GET", "noise/"],
      ["POST", "versions/1/restore/"],
    ] as const) {
      const response = await request(method, `/fleet/rules/${body.uid}/${path}`, {
        key: org.key,
        ...(method !== "GET" && { body: {} }),
      });
      expect([method, path, response.status, response.body.detail]).toEqual([method, path, 404, "Not found."]);
    }
  });

  test("can be deleted with its versions and evaluations; its alerts stay with its name", async () => {
    const { body } = await post(rule({ name: "Goes" }));
    const uid = await processedRecording(org, deviceId, [
      await jsonRecording({ "/motor/temp": temperatures([90, 91]) }),
    ]);
    expect((await request("DELETE", `/fleet/rules/${body.uid}/`, { key: org.key })).status).toBe(204);
    expect((await get(body.uid)).status).toBe(404);
    expect(await prisma.ruleVersion.count({ where: { ruleId: body.uid } })).toBe(0);
    const alerts = await request("GET", `/fleet/alerts/?rule_id=${body.uid}`, { key: org.key });
    expect(alerts.body.results).toMatchObject([{ rule_name: "Goes", recording_id: uid }]);
  });

  test("that is built in can be disabled, but neither deleted nor given another condition", async () => {
    const { body } = await request("GET", "/fleet/rules/?condition_type=absence", { key: org.key });
    const builtin = body.results.find((entry) => entry.builtin)!;
    expect(builtin).toMatchObject({
      name: "Device offline",
      version: 1,
      condition: { type: "absence", topic: "heartbeat", timeout: "90s" },
    });
    const removed = await request("DELETE", `/fleet/rules/${builtin.uid}/`, { key: org.key });
    expect([removed.status, removed.body.non_field_errors]).toEqual([400, [expect.stringMatching(/disable it/)]]);
    expect(await patch(builtin.uid, { condition })).toMatchObject({
      status: 400,
      body: { condition: [expect.any(String)] },
    });
    expect((await patch(builtin.uid, { enabled: false })).body.enabled).toBe(false);
    expect((await request("POST", `/fleet/rules/${builtin.uid}/run/`, { key: org.key, body: {} })).status).toBe(400);
  });
});

describe("what a rule says to whoever has its alerts", () => {
  const runbook = "1. Stop the cell\n2. Call [maintenance](https://wiki.example.com/cells)";

  test("is a runbook and an owner, which make no version and can be taken back", async () => {
    const colleague = await addMember(org);
    const created = await post(rule({ runbook, owner: colleague.username }));
    expect(created.body).toMatchObject({ runbook, owner: colleague.username });
    expect((await get(created.body.uid)).body).toEqual(created.body);
    const mine = await patch(created.body.uid, { owner: org.owner.uid });
    expect(mine.body).toMatchObject({ owner: org.owner.username, runbook, version: 1 });
    const none = await patch(created.body.uid, { owner: null, runbook: "" });
    expect(none.body).toMatchObject({ owner: null, runbook: "", version: 1 });
    const plain = await post(rule());
    expect(plain.body).toMatchObject({ owner: null, runbook: "" });
  });

  test.each([
    ["a name that nobody has", { owner: "nobody-here" }, "owner"],
    ["no name", { owner: "" }, "owner"],
    ["a number", { owner: 5 }, "owner"],
    ["a long text", { runbook: "x".repeat(20_001) }, "runbook"],
    ["no text", { runbook: null }, "runbook"],
  ])("with %s is refused", async (_, over, field) => {
    const { body } = await post(rule());
    for (const response of [await post(rule(over)), await patch(body.uid, over)]) {
      expect([response.status, Object.keys(response.body)]).toEqual([400, [field]]);
    }
  });

  test("names no member of another organization", async () => {
    const outsider = await addMember(foreign);
    const message = "No member of this organization has this name.";
    for (const owner of [outsider.username, outsider.uid]) {
      expect(await post(rule({ owner }))).toMatchObject({ status: 400, body: { owner: [message] } });
    }
  });

  test("has no owner once they leave, also when they come back", async () => {
    const colleague = await addMember(org);
    const { body } = await post(rule({ owner: colleague.uid }));
    const where = { organizationId: org.uid, userId: colleague.uid };
    const membership = await prisma.membership.findFirstOrThrow({ where });
    const gone = await request("DELETE", `/organizations/${org.slug}/members/${membership.uid}/`, { key: org.key });
    expect(gone.status).toBe(204);
    expect((await get(body.uid)).body).toMatchObject({ owner: null });
    await addMember(org, "member", { user: colleague });
    expect((await get(body.uid)).body).toMatchObject({ owner: null });
  });

  test("is nobody's without a membership, whoever ended it", async () => {
    const colleague = await addMember(org);
    const { body } = await post(rule({ owner: colleague.uid }));
    await prisma.membership.deleteMany({ where: { organizationId: org.uid, userId: colleague.uid } });
    expect((await get(body.uid)).body.owner).toBe(null);
  });

  test("is on each of its alerts as it is now", async () => {
    const { body } = await post(rule({ runbook, owner: "me" }));
    await processedRecording(org, deviceId, [await jsonRecording({ "/motor/temp": temperatures([90, 91]) })]);
    const alerts = await request("GET", `/fleet/alerts/?rule_id=${body.uid}`, { key: org.key });
    const uid = String(alerts.body.results[0]?.uid);
    const me = createTrpcCaller(org);
    expect((await me.alerts.get({ uid })).guidance).toEqual({ runbook, owner: org.owner.username });
    await patch(body.uid, { runbook: "https://wiki.example.com", owner: null });
    expect((await me.alerts.get({ uid })).guidance).toEqual({ runbook: "https://wiki.example.com", owner: null });
    await request("DELETE", `/fleet/rules/${body.uid}/`, { key: org.key });
    expect((await me.alerts.get({ uid })).guidance).toEqual({ runbook: "", owner: null });
  });
});

test("what people decided about a rule's alerts is listed by recording, as fixed or false alarm only", async () => {
  const { body } = await post(rule({ condition: { ...condition, value: 90 } }));
  const reasons = ["fixed", "false_alarm", "expected", null] as const;
  const uids: string[] = [];
  for (const _ of reasons) {
    const topics = { "/motor/temp": temperatures([91, 92]) };
    uids.push(await processedRecording(org, deviceId, [await jsonRecording(topics)]));
  }
  const me = createTrpcCaller(org);
  const { results } = await me.alerts.inbox({ rule_id: body.uid });
  for (const [at, reason] of reasons.entries()) {
    const alert = results.find(({ recording_id }) => recording_id === uids[at]);
    if (reason !== null) await me.alerts.resolve({ uid: String(alert?.uid), reason });
  }
  expect(await me.rules.outcomes({ uid: body.uid })).toEqual([
    { recording_id: uids[1], judgement: "false_alarm" },
    { recording_id: uids[0], judgement: "fixed" },
  ]);
  await expect(createTrpcCaller(foreign).rules.outcomes({ uid: body.uid })).rejects.toThrow("Not found.");
});

describe("versions", () => {
  test("increase with changes of condition, actions and scope only", async () => {
    const { body } = await post(rule());
    expect((await patch(body.uid, { name: "New name", enabled: false })).body.version).toBe(1);
    expect((await patch(body.uid, { condition, note: "the same" })).body.version).toBe(1);
    expect((await patch(body.uid, { condition: { ...condition, value: 85 }, note: "less noise" })).body.version).toBe(
      2,
    );
    expect((await patch(body.uid, { actions: [{ type: "tag", value: "hot" }] })).body.version).toBe(3);
    expect((await patch(body.uid, { scope: { tags: ["hall-1"] } })).body.version).toBe(4);
    const versions = await request("GET", `/fleet/rules/${body.uid}/versions/`, { key: org.key });
    expect(versions.body.results.map((version) => [version.version, version.note])).toEqual([
      [4, ""],
      [3, ""],
      [2, "less noise"],
      [1, ""],
    ]);

    const restored = await request<RuleDetail>("POST", `/fleet/rules/${body.uid}/versions/1/restore/`, {
      key: org.key,
    });
    expect(restored.body).toMatchObject({ version: 5, condition, actions, scope: null, name: "New name" });
    expect((await request("POST", `/fleet/rules/${body.uid}/versions/99/restore/`, { key: org.key })).status).toBe(404);
  });

  test("are unchanged after a refused change", async () => {
    const { body } = await post(rule());
    expect((await patch(body.uid, { condition: { ...condition, value: 85 }, actions: [] })).status).toBe(400);
    expect((await get(body.uid)).body).toEqual(body);
  });
});

describe("input", () => {
  const leaf = { type: "threshold", topic: "/t", field: "f", operator: "gt", value: 1 };
  const nested = (depth: number): unknown =>
    depth === 0 ? leaf : { type: "composite", operator: "and", conditions: [nested(depth - 1)] };
  test.each([
    ["a condition without type", { condition: { topic: "/t" } }, "condition"],
    ["a condition of an unknown type", { condition: { ...leaf, type: "odd" } }, "condition"],
    ["a condition without topic", { condition: { type: "absence", timeout: "5s" } }, "condition"],
    ["no condition", { condition: undefined }, "condition"],
    ["an empty composite", { condition: { type: "composite", operator: "and", conditions: [] } }, "condition"],
    ["a composite with xor", { condition: { type: "composite", operator: "xor", conditions: [leaf] } }, "condition"],
    ["a composite six deep", { condition: nested(6) }, "condition"],
    ["a window without unit", { condition: { ...leaf, window: "10" } }, "condition"],
    ["a window of nothing", { condition: { ...leaf, window: "0s" } }, "condition"],
    [
      "a regex with a lookahead",
      { condition: { type: "pattern", topic: "/t", field: "f", regex: "(?=x)" } },
      "condition",
    ],
    [
      "a regex of 600 characters",
      { condition: { type: "pattern", topic: "/t", field: "f", regex: "a".repeat(600) } },
      "condition",
    ],
    ["a value beyond 2^53", { condition: { ...leaf, value: 9007199254740993 } }, "condition"],
    ["no actions", { actions: [] }, "actions"],
    ["an unknown action", { actions: [{ type: "odd" }] }, "actions"],
    [
      "an unknown pipeline",
      { actions: [{ type: "auto_label", pipeline_id: "00000000-0000-7000-8000-000000000000" }] },
      "actions",
    ],
    ["a pipeline that is no identifier", { actions: [{ type: "auto_label", pipeline_id: "x" }] }, "actions"],
    ["an unknown channel", { actions: [{ type: "notify", channel_id: newUid("channel") }] }, "actions"],
    ["an unknown device", { scope: { device_ids: [newUid("device")] } }, "scope"],
    ["an unknown group", { scope: { group_ids: [newUid("group")] } }, "scope"],
    ["1,001 devices", { scope: { device_ids: Array.from({ length: 1001 }, () => newUid("device")) } }, "scope"],
    ["a blank name", { name: " " }, "name"],
  ])("with %s is refused with its field", async (_what, over, field) => {
    const before = await prisma.rule.count({ where: { organizationId: org.uid } });
    const { status, body } = await post(rule(over));
    expect([status, Object.keys(body)]).toEqual([400, [field]]);
    expect(await prisma.rule.count({ where: { organizationId: org.uid } })).toBe(before);
  });

  test("naming another organization's objects is refused like naming objects that do not exist", async () => {
    const channel = await makeChannel(foreign, "webhook", { url: "https://receiver.example.com/x" });
    const device = await makeDevice(foreign);
    const response = await post(
      rule({ actions: [{ type: "notify", channel_id: channel.uid }], scope: { device_ids: [device.uid] } }),
    );
    expect(response.body).toEqual({
      actions: [`0.channel_id: Invalid pk "${channel.uid}" - object does not exist.`],
      scope: [`device_ids: Invalid pk "${device.uid}" - object does not exist.`],
    });
  });

  test.each(["10s", "5m", "2h", "1m30s"])("with a window of %s is taken", async (window) => {
    expect((await post(rule({ condition: { ...leaf, window } }))).status).toBe(201);
  });

  test("with a hostile but linear regex is taken", async () => {
    expect(
      (await post(rule({ condition: { type: "pattern", topic: "/t", field: "f", regex: "(a+)+$" } }))).status,
    ).toBe(201);
  });
});

describe("warnings", () => {
  test("cover topics that no device in scope recorded, and fields that hold no numbers", async () => {
    const own = await makeOrganization();
    const device = await makeDevice(own, { tags: ["seen"] });
    await makeDevice(own, { tags: ["other"] });
    await processedRecording(own, device.uid, [
      await jsonRecording({
        "/a": [
          [0, { n: 1, s: "x", b: true }],
          [1, { n: 2, s: "y", b: false }],
        ],
      }),
    ]);
    const warned = async (field: string, over: Record<string, unknown> = {}) =>
      (await post(rule({ condition: { ...condition, topic: "/a", field, ...over } }), own.key)).body.warnings;
    expect(await warned("n")).toEqual([]);
    expect(await warned("s")).toEqual(["s of /a is text; gt compares it only where the text is a number."]);
    expect(await warned("b")).toEqual(["b of /a is true or false, which gt cannot compare."]);
    expect(await warned("s", { operator: "eq", value: "x" })).toEqual([]);
    expect(await warned("n", { topic: "/never" })).toEqual(["/never was seen on 0 of 2 devices in scope."]);
    const scoped = await post(
      rule({ condition: { ...condition, topic: "/a", field: "n" }, scope: { tags: ["other"] } }),
      own.key,
    );
    expect(scoped.body.warnings).toEqual(["/a was seen on 0 of 1 device in scope."]);
  });
});

interface TopicPage {
  results: { name: string }[];
  next: string | null;
  previous: string | null;
}

describe("the catalog of topics", () => {
  test("lists the topics recorded in scope, with fields and the number of devices", async () => {
    const own = await makeOrganization();
    const [first, second] = [await makeDevice(own, { tags: ["one"] }), await makeDevice(own)];
    await processedRecording(own, first.uid, [
      await jsonRecording({ "/a": temperatures([1, 2, 3]), "/b/temp": temperatures([4]) }),
    ]);
    await processedRecording(own, second.uid, [await jsonRecording({ "/a": temperatures([7, 9]) })]);
    const topics = async (query = "") =>
      (await request("GET", `/fleet/topics/${query}`, { key: own.key })).body.results;
    expect(await topics()).toMatchObject([
      {
        name: "/a",
        schema: "json/a",
        encoding: "json",
        device_count: 2,
        devices_total: 2,
        fields: [{ path: "data.value", min: 7, max: 9 }],
      },
      { name: "/b/temp", device_count: 1 },
    ]);
    expect((await topics("?q=TEMP")).map((topic) => topic.name)).toEqual(["/b/temp"]);
    expect((await topics(`?device_id=${second.uid}`)).map((topic) => [topic.name, topic.device_count])).toEqual([
      ["/a", 1],
    ]);
    expect((await topics("?tags=one")).map((topic) => topic.name)).toEqual(["/a", "/b/temp"]);
    expect((await topics("?limit=1")).map((topic) => topic.name)).toEqual(["/a"]);
    expect((await request("GET", "/fleet/topics/", { key: foreign.key })).body.results).toEqual([]);
  });

  test("is paged to its end and back", async () => {
    const own = await makeOrganization();
    const device = await makeDevice(own);
    const names = ["/a", "/b", "/c", "/d", "/e"];
    const recorded = Object.fromEntries(names.map((name) => [name, temperatures([1])]));
    await processedRecording(own, device.uid, [await jsonRecording(recorded)]);
    const page = async (address: string | null) =>
      (await request<TopicPage>("GET", (address ?? "").replace(/^.*\/api\/v1/, ""), { key: own.key })).body;
    const listNames = ({ results }: TopicPage) => results.map(({ name }) => name);
    const first = await page("/fleet/topics/?limit=2&q=/");
    const second = await page(first.next);
    const third = await page(second.next);
    expect([first, second, third].map(listNames)).toEqual([["/a", "/b"], ["/c", "/d"], ["/e"]]);
    expect([first.previous, third.next]).toEqual([null, null]);
    const back = await page(third.previous);
    expect(listNames(back)).toEqual(["/c", "/d"]);
    expect(listNames(await page(back.previous))).toEqual(["/a", "/b"]);
  });
});

describe("noise", () => {
  test("is the hits a day and the share of alerts that were false alarms", async () => {
    const own = await makeOrganization();
    const device = await makeDevice(own);
    const { body } = await post(rule(), own.key);
    const now = Math.floor(Date.now() / 1000);
    const shift = now - 1_760_000_000 - 30;
    for (const values of [[90, 70, 91], [92]]) {
      await processedRecording(own, device.uid, [
        await jsonRecording({
          "/motor/temp": values.map((value, at): [number, unknown] => [shift + at, { data: { value } }]),
        }),
      ]);
    }
    const alerts = await request("GET", `/fleet/alerts/?rule_id=${body.uid}`, { key: own.key });
    const resolve = (uid: string, reason: string) =>
      request("POST", `/fleet/alerts/${uid}/resolve/`, { key: own.key, body: { reason } });
    await resolve(alerts.body.results[0]!.uid, "false_alarm");
    await resolve(alerts.body.results[1]!.uid, "fixed");
    const noise = await request<NoiseResource>("GET", `/fleet/rules/${body.uid}/noise/?days=10`, { key: own.key });
    expect(noise.body).toMatchObject({
      days: 10,
      hit_count: 3,
      hits_per_day: 0.3,
      alert_count: 2,
      resolved_count: 2,
      false_alarm_count: 1,
      false_alarm_share: 0.5,
    });
    expect(noise.body.daily).toHaveLength(10);
    const activity = await createTrpcCaller(own).rules.activity({ uids: [body.uid, newUid("rule")], days: 7 });
    expect(Object.keys(activity)).toEqual([body.uid]);
    expect(activity[body.uid]?.reduce((sum, hits) => sum + hits, 0)).toBe(3);
  });
});

describe("the dashboard's procedures", () => {
  test("match a scope to devices while it is edited", async () => {
    const own = await makeOrganization();
    const tag = unique("hall");
    await makeDevice(own, { name: "b", tags: [tag] });
    await makeDevice(own, { name: "a", tags: [tag] });
    await makeDevice(own);
    const trpc = createTrpcCaller(own);
    expect((await trpc.rules.scope({})).device_count).toBe(3);
    const matched = await trpc.rules.scope({ scope: { tags: [tag] } });
    expect([matched.device_count, matched.devices.map((device) => device.name)]).toEqual([2, ["a", "b"]]);
  });
});
