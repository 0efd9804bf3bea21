import { beforeAll, describe, expect, test } from "vitest";
import { prisma } from "@/server/platform/db";
import { uuidv7 } from "@/server/platform/uid";
import {
  addMember,
  makeDevice,
  makeKey,
  makeOrganization,
  makeRecording,
  unique,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { createTrpcCaller, request } from "@/server/testing/requests";
import { seedOrganization, type Seeded } from "@/server/testing/seed-organization";

/** What a member may do that depends on whose object it is, or on the fields of the request. */

let org: TestOrganization;
let by: Seeded["by"];
let member: TestMember;
let other: TestMember;
let viewer: TestMember;
beforeAll(async () => {
  org = await makeOrganization();
  ({ by } = await seedOrganization(org, unique("roles")));
  [member, other, viewer] = await Promise.all([
    addMember(org),
    addMember(org),
    addMember(org, "member", { readOnly: true }),
  ]);
});

const status = async (who: { key: string }, method: string, path: string, body?: unknown) =>
  (await request(method, path, { key: who.key, ...(body !== undefined && { body }) })).status;
const create = async (who: { key: string }, path: string, body: unknown): Promise<string> => {
  const response = await request("POST", path, { key: who.key, body });
  expect([path, response.status], JSON.stringify(response.body)).toEqual([path, 201]);
  return response.body.uid;
};
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

const rule = (name = unique("rule")) => ({
  name,
  condition: { type: "threshold", topic: "/t", field: "x", operator: "gt", value: 1 },
  actions: [{ type: "flag_for_review" }],
});
const silence = (more: object = {}) => ({
  matchers: { device_ids: [by.device] },
  reason: "works",
  ends_at: inDays(1),
  ...more,
});

describe("a member's rule", () => {
  test("is changed, run, restored and deleted by its author and by admins, and by no other member", async () => {
    const uid = await create(member, "/fleet/rules/", rule());
    const verbs = [
      ["PATCH", `/fleet/rules/${uid}/`, { enabled: false }, 200],
      ["POST", `/fleet/rules/${uid}/run/`, {}, 202],
      ["POST", `/fleet/rules/${uid}/versions/1/restore/`, undefined, 200],
    ] as const;
    for (const [method, path, body, allowed] of verbs) {
      expect([path, await status(other, method, path, body)]).toEqual([path, 403]);
      expect([path, await status(member, method, path, body)]).toEqual([path, allowed]);
      expect([path, await status(org, method, path, body)]).toEqual([path, allowed]);
    }
    expect(await status(other, "DELETE", `/fleet/rules/${uid}/`)).toBe(403);
    expect(await status(member, "DELETE", `/fleet/rules/${uid}/`)).toBe(204);
  });

  test("is refused to others before the fields sent are looked at, and a missing one is 404 before both", async () => {
    const uid = await create(member, "/fleet/rules/", rule());
    const missing = `/fleet/rules/rul_${uuidv7()}/`;
    expect(await status(other, "PATCH", `/fleet/rules/${uid}/`, { name: 3 })).toBe(403);
    expect(await status(member, "PATCH", `/fleet/rules/${uid}/`, { name: 3 })).toBe(400);
    expect(await status(other, "PATCH", missing, { name: 3 })).toBe(404);
    const builtin = await prisma.rule.findFirstOrThrow({
      where: { organizationId: org.uid, builtin: true, live: false },
    });
    expect(await status(member, "PATCH", `/fleet/rules/${builtin.uid}/`, { enabled: false })).toBe(403);
    expect(await status(org, "PATCH", `/fleet/rules/${builtin.uid}/`, { enabled: true })).toBe(200);
  });
});

describe("a member's silence", () => {
  test("lasts at most seven days and names a device, rule or tag; an admin's may do otherwise", async () => {
    const beyond = [
      silence({ ends_at: inDays(8) }),
      silence({ matchers: { severities: ["info"] } }),
      silence({ starts_at: inDays(10), ends_at: inDays(18) }),
    ];
    for (const body of beyond) {
      expect(await status(member, "POST", "/fleet/silences/", body)).toBe(403);
      expect(await status(org, "POST", "/fleet/silences/", body)).toBe(201);
    }
    const uid = await create(member, "/fleet/silences/", silence({ ends_at: inDays(7) }));
    for (const change of [{ ends_at: inDays(8) }, { matchers: { severities: ["info"] } }])
      expect(await status(member, "PATCH", `/fleet/silences/${uid}/`, change)).toBe(403);
    expect(await status(member, "PATCH", `/fleet/silences/${uid}/`, { reason: "longer works" })).toBe(200);
    const devices = { device_ids: [by.device], reason: "works", until: inDays(8) };
    await expect(createTrpcCaller(org, member).fleet.maintain(devices)).rejects.toMatchObject({ code: "FORBIDDEN" });
  });

  test("is changed, ended and deleted by its author and by admins, and by no other member", async () => {
    const path = `/fleet/silences/${await create(member, "/fleet/silences/", silence())}/`;
    expect(await status(other, "PATCH", path, { reason: "mine" })).toBe(403);
    expect(await status(other, "PATCH", path, { reason: 3 })).toBe(403);
    expect(await status(other, "POST", `${path}expire/`)).toBe(403);
    expect(await status(other, "DELETE", path)).toBe(403);
    expect(await status(org, "PATCH", path, { reason: "theirs" })).toBe(200);
    expect(await status(member, "POST", `${path}expire/`)).toBe(200);
    expect(await status(member, "DELETE", path)).toBe(204);
  });
});

describe("an event", () => {
  const event = () => ({
    recording_id: by.recording,
    type: "custom" as const,
    label: "seen",
    timestamp: "2026-01-01T00:00:00Z",
  });
  const at = (uid: string) => `/fleet/events/${uid}/`;

  test("is changed and deleted by its author, whatever key made it, and by no other member", async () => {
    const uid = await create({ key: await makeKey(org, member) }, "/fleet/events/", event());
    expect(await status(other, "PATCH", at(uid), { label: "mine" })).toBe(403);
    expect(await status(other, "PATCH", at(uid), { label: 3 })).toBe(403);
    expect(await status(other, "DELETE", at(uid))).toBe(403);
    expect(await status(member, "PATCH", at(uid), { label: "mine" })).toBe(200);
    expect(await status(member, "DELETE", at(uid))).toBe(204);
  });

  test("of a device or a rule is changed by admins only", async () => {
    const device = await makeDevice(org);
    const recording = await makeRecording(org, device.uid);
    const { body } = await request("POST", "/fleet/events/", {
      token: device.device_token,
      body: { recording_id: recording.uid, type: "custom", label: "seen", timestamp: "2026-01-01T00:00:00Z" },
    });
    expect(await status(member, "PATCH", at(body.uid), { label: "mine" })).toBe(403);
    expect(await status(org, "PATCH", at(body.uid), { label: "theirs" })).toBe(200);
  });

  test("of another person is refused in a bulk operation, and one's own is changed", async () => {
    const make = async (who: TestMember) => (await createTrpcCaller(org, who).events.create(event())).uid;
    const uids = [await make(member), await make(other)];
    const trpc = createTrpcCaller(org, member);
    for (const bulk of [await trpc.events.tagMany({ uids, add: ["x"] }), await trpc.events.deleteMany({ uids })])
      expect(bulk.results.map(({ ok, error }) => [ok, error])).toEqual([
        [true, null],
        [false, "You do not have permission to perform this action."],
      ]);
  });
});

describe("a device", () => {
  test.each([{ name: "mine" }, { type: "arm" }, { group_ids: [] }, { name: 3 }, { name: null, status: "online" }])(
    "is not changed by a member with %j",
    async (change) => {
      expect(await status(member, "PATCH", `/fleet/devices/${by.device}/`, change)).toBe(403);
    },
  );

  test("is changed by a member in its status, tags, metadata, firmware and last contact", async () => {
    const change = { status: "maintenance", tags: ["a"], metadata: { a: 1 }, firmware_version: "2" };
    const path = `/fleet/devices/${by.device}/`;
    expect(await status(member, "PATCH", path, { ...change, last_seen_at: inDays(-1) })).toBe(200);
    expect(await status(member, "PATCH", path, { status: "gone" })).toBe(400);
  });

  test("is put into groups by an admin, which must be the organization's", async () => {
    const path = `/fleet/devices/${by.device}/`;
    const { status, body } = await request("PATCH", path, { key: org.key, body: { group_ids: [by.group] } });
    expect([status, body.group_ids]).toEqual([200, [by.group]]);
    const unknown = await request("PATCH", path, { key: org.key, body: { group_ids: [`grp_${uuidv7()}`] } });
    expect([unknown.status, Object.keys(unknown.body)]).toEqual([400, ["group_ids"]]);
    expect((await request("PATCH", path, { key: org.key, body: { group_ids: [] } })).body.group_ids).toEqual([]);
  });
});

describe("an export", () => {
  test("is aborted and retried by its author and by admins, and by no other member", async () => {
    const body = { name: unique(), format: "YOLO", datasets: [by.dataset], projects: [], slices: [] };
    const path = `/exports/${await create(member, "/exports/", body)}/`;
    for (const [verb, who, expected] of [
      ["abort", other, 403],
      ["abort", member, 200],
      ["retry", other, 403],
      ["retry", org, 200],
    ] as const)
      expect([verb, await status(who, "POST", `${path}${verb}/`)]).toEqual([verb, expected]);
  });
});

describe("a recording", () => {
  test("is added by a member to a dataset, and not to a new one", async () => {
    const path = `/fleet/recordings/${by.recording}/to-dataset/`;
    expect(await status(member, "POST", path, { name: "new" })).toBe(403);
    expect(await status(member, "POST", path, { name: 3 })).toBe(403);
    expect(await status(member, "POST", path, { dataset: by.dataset })).toBe(201);
  });
});

describe("a read-only member", () => {
  const expiry = inDays(1);
  test("makes keys that only read, and private views", async () => {
    const trpc = createTrpcCaller(org, viewer);
    const key = { name: "mine", expiry } as never;
    const refused = { code: "FORBIDDEN" };
    await expect(trpc.apiKeys.create(key)).rejects.toMatchObject(refused);
    const scoped = (scopes: string[]) => ({ name: "mine", scopes, expiry }) as never;
    await expect(trpc.apiKeys.create(scoped(["fleet.read", "fleet.write"]))).rejects.toMatchObject(refused);
    const made = await trpc.apiKeys.create(scoped(["fleet.read"]));
    expect(await status({ key: made.key }, "GET", "/fleet/devices/")).toBe(200);
    const view = { screen: "devices", name: unique("view"), query: "status=online" } as const;
    await expect(trpc.views.save({ ...view, shared: true })).rejects.toMatchObject(refused);
    expect((await trpc.views.save(view)).shared).toBe(false);
  });

  test("does not replace an earlier key that could do more", async () => {
    const [own] = (await createTrpcCaller(org, viewer).apiKeys.list({ mine: true, limit: 10 })).results.filter(
      ({ scopes }) => scopes.length === 0,
    );
    const again = createTrpcCaller(org, viewer).apiKeys.regenerate({ uid: own?.uid ?? "", keep_old_hours: 0 });
    await expect(again).rejects.toMatchObject({ code: "FORBIDDEN" });
  });
});
