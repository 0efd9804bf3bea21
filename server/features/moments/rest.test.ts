import { beforeAll, describe, expect, test } from "vitest";
import type { TestChannel, TestMessage } from "@/engine/testing/write-mcap";
import type { DatasetResource } from "@/server/features/datasets/resource";
import { extract } from "@/server/features/moments/jobs";
import type { MomentAdded, MomentPreview, MomentResource, MomentsPreview } from "@/server/features/moments/resource";
import { prisma } from "@/server/platform/db";
import type { Page } from "@/server/platform/pagination";
import { makeDataset } from "@/server/testing/datasets";
import {
  addMember,
  makeDevice,
  makeOrganization,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { epoch, jsonRecording, processedRecording, runJobs } from "@/server/testing/processing";
import { requestsWith } from "@/server/testing/requests";

/** What a script does with moments. The contents of items are in the tests of the feature. */

const at = (offsetMs: number): string => String(epoch + BigInt(offsetMs) * 1_000_000n);
const send = requestsWith(() => org.key);

/** Two seconds of a camera at 10 Hz and of one whose only picture is cut off; the motor is too hot at 1.05 s. */
function cameraRecording(): Promise<Buffer> {
  const channel = (topic: string): TestChannel => ({
    topic,
    messageEncoding: "json",
    schemaName: "foxglove.RawImage",
    schemaEncoding: "jsonschema",
    schema: "{}",
  });
  const picture = (topic: string, offsetMs: number, height: number): TestMessage => {
    const raw = { width: 8, height, encoding: "mono8", step: 8, data: Buffer.alloc(48).toString("base64") };
    return { topic, time: BigInt(at(offsetMs)), data: Buffer.from(JSON.stringify(raw)) };
  };
  const messages = Array.from({ length: 20 }, (_, n) => picture("/front", n * 100, 6));
  const motor: [number, unknown][] = [
    [0, { value: 20 }],
    [1.05, { value: 90 }],
  ];
  const more = {
    channels: [channel("/front"), channel("/broken")],
    messages: [...messages, picture("/broken", 500, 600)],
  };
  return jsonRecording({ "/arm/motor": motor }, { more });
}

interface Found {
  recording: string;
  alert: string;
  rule: string;
  event: string;
}

async function makeFound(organization: TestOrganization): Promise<Found> {
  const device = (await makeDevice(organization)).uid;
  const condition = { type: "threshold", topic: "/arm/motor", field: "value", operator: "gt", value: 80 };
  const rule = { name: "Motor too hot", condition, actions: [{ type: "flag_for_review" }] };
  const { uid } = (await send<{ uid: string }>("POST", "/fleet/rules/", rule, organization.key)).body;
  const recording = await processedRecording(organization, device, [await cameraRecording()]);
  const event = { recording_id: recording, type: "custom", label: "seen", timestamp: new Date(Number(epoch) / 1e6) };
  return {
    recording,
    rule: uid,
    alert: (await prisma.alert.findFirstOrThrow({ where: { recordingId: recording } })).uid,
    event: (await send<{ uid: string }>("POST", "/fleet/events/", event, organization.key)).body.uid,
  };
}

let org: TestOrganization;
let member: TestMember;
let own: Found;
let foreign: Found;
beforeAll(async () => {
  org = await makeOrganization();
  const other = await makeOrganization();
  member = await addMember(org);
  own = await makeFound(org);
  foreign = await makeFound(other);
});

const getPath = ({ owner_name: owner, slug }: DatasetResource): string => `/datasets/${owner}/${slug}/moments/`;
const range = (topics = ["/front"]) => ({ recording_id: own.recording, from: at(0), to: at(990), topics });
const get = (path: string, uid: string | null) => send<MomentResource>("GET", `${path}${uid}/`);

describe("a range of a recording", () => {
  test("is previewed, added once, followed and undone", async () => {
    const dataset = await makeDataset(org);
    const path = getPath(dataset);
    const preview = await send<MomentPreview>("POST", `${path}preview/`, { ...range(), every_ms: 200 });
    expect([preview.status, preview.body]).toMatchObject([200, { frames: 5, present: 0, exact: true, refused: null }]);
    const added = await send<MomentAdded>("POST", path, { ...range(), alert_id: own.alert, note: "hot" });
    const { moment_uid: uid } = added.body;
    expect([added.status, added.body]).toEqual([
      202,
      { moment_uid: expect.any(String), dataset_uid: dataset.uid, planned: 10, present: 0 },
    ]);
    expect((await get(path, uid)).body).toMatchObject({ status: "waiting", spans: 1, finished_spans: 0, planned: 10 });
    await runJobs([extract]);
    const done = { status: "done", finished_spans: 1, added: 10, present: 0, failed: 0, error: "", note: "hot" };
    expect((await get(path, uid)).body).toMatchObject(done);
    const again = await send<MomentAdded>("POST", path, range());
    expect([again.status, again.body]).toEqual([
      200,
      { moment_uid: null, dataset_uid: dataset.uid, planned: 0, present: 10 },
    ]);
    const items = () => prisma.item.count({ where: { datasetId: dataset.uid } });
    expect(await items()).toBe(10);
    const undone = await send<MomentResource>("POST", `${path}${uid}/undo/`);
    expect([undone.status, undone.body.status, await items()]).toEqual([200, "undone", 0]);
  });

  test("has its failures counted, with the reason of the first", async () => {
    const path = getPath(await makeDataset(org));
    const { body } = await send<MomentAdded>("POST", path, range(["/broken", "/front"]));
    await runJobs([extract]);
    expect((await get(path, body.moment_uid)).body).toMatchObject({
      status: "done",
      added: 10,
      failed: 1,
      error: expect.stringContaining("/broken: The message says 8 × 600 mono8"),
    });
  });

  test("is refused by the member that is wrong, and so is its preview", async () => {
    const path = getPath(await makeDataset(org));
    const missing = (uid: string) => [`Invalid pk "${uid}" - object does not exist.`];
    const both = [
      [{ recording_id: foreign.recording }, { recording_id: missing(foreign.recording) }],
      [{ from: "yesterday" }, { from: ["Give nanoseconds since 1970, or an ISO 8601 time."] }],
      [{ to: "2001-01-01T00:00:00Z" }, { to: ["Must not be before `from`."] }],
      [{ topics: ["/arm/motor"] }, { topics: ['Messages of "/arm/motor" are no pictures or point clouds.'] }],
    ] as const;
    for (const [change, errors] of both)
      for (const to of [path, `${path}preview/`]) {
        const { status, body } = await send("POST", to, { ...range(), ...change });
        expect([to, status, body]).toEqual([to, 400, errors]);
      }
    for (const [name, uid] of [
      ["alert_id", foreign.alert],
      ["event_id", foreign.event],
      ["rule_id", foreign.rule],
    ] as const) {
      const { status, body } = await send("POST", path, { ...range(), [name]: uid });
      expect([status, body]).toEqual([400, { [name]: missing(uid) }]);
    }
  });
});

describe("many moments", () => {
  test.each([
    ["alerts", () => ({ alerts: [own.alert] }), { alertId: true, ruleId: true }],
    ["events", () => ({ events: [own.event] }), { eventId: true }],
    ["a rule's hits", () => ({ rule_id: own.rule }), { ruleId: true }],
    ["recordings", () => ({ recordings: [own.recording] }), {}],
  ] as const)("of %s are one addition that says where they were found", async (_, source, origin) => {
    const dataset = await makeDataset(org);
    const path = getPath(dataset);
    const preview = await send<MomentsPreview>("POST", `${path}many/preview/`, { ...source(), after_ms: 500 });
    expect([preview.status, preview.body]).toMatchObject([
      200,
      { moments: 1, empty: 0, topics: ["/broken", "/front"], refused: null },
    ]);
    const added = await send<MomentAdded>("POST", `${path}many/`, { ...source(), after_ms: 500 });
    expect([added.status, added.body]).toMatchObject([202, { dataset_uid: dataset.uid, present: 0 }]);
    await runJobs([extract]);
    const { body } = await get(path, added.body.moment_uid);
    expect(body).toMatchObject({ status: "done", spans: 1, finished_spans: 1 });
    expect(body.added).toBeGreaterThan(0);
    const span = await prisma.momentSpan.findFirstOrThrow({ where: { momentId: body.uid } });
    expect(span).toMatchObject(
      Object.fromEntries(Object.keys(origin).map((column) => [column, expect.stringMatching(/_/)])),
    );
  });

  test("need exactly one source, whose objects exist in the organization", async () => {
    const path = getPath(await makeDataset(org));
    const one = { non_field_errors: ["Name exactly one of alerts, events, recordings and rule_id."] };
    const missing = (name: string, uid: string) => ({ [name]: [`Invalid pk "${uid}" - object does not exist.`] });
    const refused = [
      [{}, one],
      [{ alerts: [own.alert], rule_id: own.rule }, one],
      [{ alerts: [] }, { alerts: ["This list may not be empty."] }],
      [{ alerts: [own.alert, foreign.alert] }, missing("alerts", foreign.alert)],
      [{ events: [foreign.event] }, missing("events", foreign.event)],
      [{ recordings: [foreign.recording] }, missing("recordings", foreign.recording)],
      [{ rule_id: foreign.rule }, missing("rule_id", foreign.rule)],
    ] as const;
    for (const [body, errors] of refused)
      for (const to of [`${path}many/`, `${path}many/preview/`]) {
        const response = await send("POST", to, body);
        expect([to, response.status, response.body]).toEqual([to, 400, errors]);
      }
  });
});

test("the additions of a dataset are listed page by page, the newest first, and are under no other dataset", async () => {
  const [dataset, second] = [await makeDataset(org), await makeDataset(org)];
  const path = getPath(dataset);
  const uids: string[] = [];
  for (const topics of [["/front"], ["/broken"]])
    uids.unshift((await send<MomentAdded>("POST", path, range(topics))).body.moment_uid ?? "");
  const listed: string[] = [];
  for (let next: string | null = `${path}?limit=1`; next !== null;) {
    const { body }: { body: Page<MomentResource> } = await send("GET", next);
    expect(body.results).toHaveLength(1);
    listed.push(...body.results.map(({ uid }) => uid));
    ({ next } = body);
  }
  expect(listed).toEqual(uids);
  expect((await send<Page<MomentResource>>("GET", getPath(second))).body.results).toEqual([]);
  const [uid = ""] = uids;
  expect((await get(getPath(second), uid)).status).toBe(404);
  expect((await send("POST", `${getPath(second)}${uid}/undo/`)).status).toBe(404);
  expect((await send("POST", `${path}${uid}/undo/`, undefined, member.key)).status).toBe(403);
  expect((await get(path, uid)).body.status).toBe("waiting");
});
