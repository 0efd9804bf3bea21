import { describe, expect, test } from "vitest";
import type { DeviceResource, RegisteredDevice } from "@/server/features/devices/resource";
import type { Page } from "@/server/platform/pagination";
import { makeOrganization } from "@/server/testing/factories";
import { request } from "@/server/testing/requests";

async function makeDevice(
  organization: { key: string },
  input: Record<string, unknown> = {},
): Promise<RegisteredDevice> {
  const body = { name: "arm", ...input };
  const response = await request<RegisteredDevice>("POST", "/fleet/devices/", { key: organization.key, body });
  expect(response.status).toBe(201);
  return response.body;
}

const [org, other] = await Promise.all([makeOrganization(), makeOrganization()]);

const get = (uid: string) => request<DeviceResource>("GET", `/fleet/devices/${uid}/`, { key: org.key });
const patch = (uid: string, body: unknown) =>
  request<DeviceResource>("PATCH", `/fleet/devices/${uid}/`, { key: org.key, body });
const list = (query: string) => request<Page<DeviceResource>>("GET", `/fleet/devices/?${query}`, { key: org.key });

describe("registration", () => {
  test("a device is read as it was registered, without its token", async () => {
    const metadata = { site: "hall 3", nested: { keepMe: [1, null, "x"] } };
    const device = await makeDevice(org, { name: "arm-04", type: "manipulator", tags: ["a", "b", "a"], metadata });
    expect(device).toMatchObject({ name: "arm-04", status: "offline", tags: ["a", "b"], metadata, last_seen_at: null });
    expect(device.device_token).toMatch(/^svd_[0-9A-Za-z]{49}$/);
    const { device_token: _, ...shown } = device;
    expect((await get(device.uid)).body).toEqual(shown);
  });

  test("members not given have their defaults", async () => {
    const device = await makeDevice(org);
    expect(device).toMatchObject({ type: "unknown", firmware_version: null, tags: [], metadata: {}, metrics: {} });
  });

  test.each([
    [{}, { name: ["This field is required."] }],
    [{ name: "   " }, { name: ["This field may not be blank."] }],
    [{ name: "x".repeat(256) }, { name: ["Ensure this field has no more than 255 characters."] }],
    [{ name: null }, { name: ["This field may not be null."] }],
    [{ name: "a", type: 3 }, { type: ["Not a valid string."] }],
    [{ name: "a", tags: ["x".repeat(101)] }, { tags: ["0: Ensure this field has no more than 100 characters."] }],
    [{ name: "a", metadata: [] }, { metadata: ['Expected a dictionary of items but got type "list".'] }],
    [{ name: "a\u0000" }, { name: ["Null characters are not allowed."] }],
  ])("%j is refused, naming the field", async (body, expected) => {
    const response = await request("POST", "/fleet/devices/", { key: org.key, body });
    expect([response.status, response.body]).toEqual([400, expected]);
  });

  test("255 astral characters are 255 characters", async () => {
    expect((await makeDevice(org, { name: "🤖".repeat(255) })).name).toBe("🤖".repeat(255));
  });
});

describe("changing a device", () => {
  test("metadata is merged one level deep, and null removes a key", async () => {
    const { uid } = await makeDevice(org, { metadata: { a: 1, b: { x: 1 } } });
    expect((await patch(uid, { metadata: { a: null, b: { y: 2 }, c: 3 } })).body.metadata).toEqual({
      b: { y: 2 },
      c: 3,
    });
  });

  test("an empty change changes nothing, not even updated_at", async () => {
    const { device_token: _, ...device } = await makeDevice(org);
    expect(await patch(device.uid, {})).toMatchObject({ status: 200, body: device });
  });

  test("tags are replaced, and filters find the new ones only", async () => {
    const { uid } = await makeDevice(org, { tags: ["old-tag"] });
    await patch(uid, { tags: ["new-tag"] });
    expect((await list("tags=old-tag")).body.results).toEqual([]);
    expect((await list("tags=new-tag")).body.results.map((device) => device.uid)).toEqual([uid]);
  });

  test("a status of online sets last_seen_at, which never decreases", async () => {
    const { uid } = await makeDevice(org);
    const seen = (await patch(uid, { status: "online" })).body.last_seen_at;
    expect(seen).not.toBeNull();
    expect((await patch(uid, { last_seen_at: "2001-01-01T00:00:00Z" })).body.last_seen_at).toBe(seen);
  });

  test("an unknown device is 404 even when the change is invalid", async () => {
    const response = await patch("dev_00000000-0000-7000-8000-000000000001", { name: "" });
    expect(response.status).toBe(404);
  });

  test("an unknown status is refused and nothing changes", async () => {
    const { uid } = await makeDevice(org);
    expect(await patch(uid, { name: "b", status: "exploded" })).toMatchObject({
      status: 400,
      body: { status: ['"exploded" is not a valid choice. Choices: online, offline, maintenance.'] },
    });
    expect((await get(uid)).body.name).toBe("arm");
  });
});

describe("heartbeats", () => {
  const beat = (device: RegisteredDevice, body: unknown = {}, uid = "me") =>
    request<{ status: string; last_seen_at: string }>("POST", `/fleet/devices/${uid}/heartbeat/`, {
      token: device.device_token,
      body,
    });

  test("the first one sets a device online", async () => {
    const device = await makeDevice(org);
    expect(await beat(device)).toMatchObject({
      status: 200,
      body: { uid: device.uid, status: "online", interval_seconds: 30, offline_after_seconds: 90 },
    });
  });

  test("maintenance stays until an operator ends it", async () => {
    const device = await makeDevice(org);
    await patch(device.uid, { status: "maintenance" });
    expect((await beat(device, { status: "online" })).body.status).toBe("maintenance");
  });

  test("a late one does not decrease last_seen_at", async () => {
    const device = await makeDevice(org);
    const { last_seen_at: seen } = (await beat(device)).body;
    const late = (await beat(device, { timestamp: "2020-01-01T00:00:00Z" })).body;
    expect(Date.parse(late.last_seen_at)).toBeGreaterThanOrEqual(Date.parse(seen));
  });

  test("one from the future is refused", async () => {
    const device = await makeDevice(org);
    const response = await beat(device, { timestamp: "9000-01-01T00:00:00Z" });
    expect([response.status, Object.keys(response.body)]).toEqual([400, ["timestamp"]]);
  });

  test("a device can send its own heartbeats only, and has no other permission", async () => {
    const [device, sibling] = await Promise.all([makeDevice(org), makeDevice(org)]);
    expect((await beat(device, {}, sibling.uid)).status).toBe(404);
    expect((await request("GET", "/fleet/devices/", { token: device.device_token })).status).toBe(403);
  });

  test("rotating a token revokes the old one immediately", async () => {
    const device = await makeDevice(org);
    const rotated = await request<RegisteredDevice>("POST", `/fleet/devices/${device.uid}/rotate-token/`, {
      key: org.key,
    });
    expect((await beat(device)).status).toBe(401);
    expect((await beat(rotated.body)).status).toBe(200);
  });
});

describe("the list", () => {
  test("pages both ways without repeating or skipping while rows are added and deleted", async () => {
    const ownOrg = await makeOrganization();
    const uids: string[] = [];
    for (let n = 0; n < 7; n++) uids.unshift((await makeDevice(ownOrg, { name: `d${n}`, tags: ["paged"] })).uid);
    const page = (url: string) =>
      request<Page<DeviceResource>>("GET", url.replace(/^.*\/api\/v1/, ""), { key: ownOrg.key });
    const names = (response: { body: Page<DeviceResource> }) => response.body.results.map((device) => device.uid);

    const first = await page("/fleet/devices/?tags=paged&limit=3");
    expect(first.body.next).toContain("tags=paged");
    expect(first.body.previous).toBeNull();
    await makeDevice(ownOrg, { name: "newcomer", tags: ["paged"] });
    await request("DELETE", `/fleet/devices/${uids[2]}/`, { key: ownOrg.key });

    const second = await page(first.body.next ?? "");
    const third = await page(second.body.next ?? "");
    expect([...names(first), ...names(second), ...names(third)]).toEqual(uids);
    expect(third.body.next).toBeNull();
    expect(names(await page(third.body.previous ?? ""))).toEqual(uids.slice(3, 6));
  });

  test("a cursor is refused when it was changed, or is of another list, filter or organization", async () => {
    for (let n = 0; n < 2; n++) await Promise.all([makeDevice(org), makeDevice(other)]);
    const { next } = (await list("limit=1")).body;
    const cursor = new URL(next ?? "").searchParams.get("cursor") ?? "";
    const refused = { status: 400, body: { cursor: ["Invalid cursor."] } };
    const at = (path: string, key: string) => request("GET", `${path}cursor=${encodeURIComponent(cursor)}`, { key });
    expect(await at("/fleet/devices/?limit=1&status=online&", org.key)).toMatchObject(refused);
    expect(await at("/fleet/groups/?limit=1&", org.key)).toMatchObject(refused);
    expect(await at("/fleet/devices/?limit=1&", other.key)).toMatchObject(refused);
    expect(await list(`limit=1&cursor=${cursor.slice(0, -1)}${cursor.endsWith("A") ? "B" : "A"}`)).toMatchObject(
      refused,
    );
    expect((await list(`limit=2&cursor=${encodeURIComponent(cursor)}`)).status).toBe(200);
  });

  test.each(["0", "-1", "abc", "10.5", "", "1&limit=2"])("limit=%s is refused", async (limit) => {
    expect(await list(`limit=${limit}`)).toMatchObject({ status: 400, body: { limit: expect.any(Array) } });
  });

  test("a limit above 200 is 200", async () => {
    expect((await list("limit=1000000000")).status).toBe(200);
  });

  test("filters narrow by status, type, all tags and contained metadata", async () => {
    const ownOrg = await makeOrganization();
    const a = await makeDevice(ownOrg, { type: "amr", tags: ["x", "y"], metadata: { site: { hall: 3 }, $ne: 1 } });
    await makeDevice(ownOrg, { type: "drone", tags: ["x"], metadata: { site: { hall: 4 } } });
    const found = async (query: string) =>
      (await request<Page<DeviceResource>>("GET", `/fleet/devices/?${query}`, { key: ownOrg.key })).body.results.map(
        (d) => d.uid,
      );
    expect(await found("type=amr")).toEqual([a.uid]);
    expect(await found("tags=x,,y")).toEqual([a.uid]);
    expect(await found(`metadata=${encodeURIComponent('{"site":{"hall":3}}')}`)).toEqual([a.uid]);
    expect(await found(`metadata=${encodeURIComponent('{"$ne":1}')}`)).toEqual([a.uid]);
    expect(await found("status=online,maintenance")).toEqual([]);
    expect((await found("status=offline")).length).toBe(2);
  });

  test.each(['{"a":', "[]", '"x"'])("metadata=%s is refused", async (value) => {
    expect(await list(`metadata=${encodeURIComponent(value)}`)).toMatchObject({
      status: 400,
      body: { metadata: [expect.any(String)] },
    });
  });
});

describe("deleting and groups", () => {
  test("a deleted device is 404 and its token is refused", async () => {
    const device = await makeDevice(org);
    expect((await request("DELETE", `/fleet/devices/${device.uid}/`, { key: org.key })).status).toBe(204);
    expect((await get(device.uid)).status).toBe(404);
    expect((await request("POST", "/fleet/devices/me/heartbeat/", { token: device.device_token })).status).toBe(401);
  });

  test("a group contains devices of its own organization only", async () => {
    const [ownDevice, foreign] = await Promise.all([makeDevice(org), makeDevice(other)]);
    const make = (name: string, ids: string[]) =>
      request<{ uid: string; device_ids: string[] }>("POST", "/fleet/groups/", {
        key: org.key,
        body: { name, device_ids: ids },
      });
    expect(await make("north", [foreign.uid])).toMatchObject({
      status: 400,
      body: { device_ids: [expect.any(String)] },
    });
    const group = await make("north", [ownDevice.uid, ownDevice.uid]);
    expect(group).toMatchObject({ status: 201, body: { device_ids: [ownDevice.uid], device_count: 1 } });
    expect((await get(ownDevice.uid)).body.group_ids).toEqual([group.body.uid]);
    expect(await make("north", [])).toMatchObject({
      status: 400,
      body: { name: ["A group with this name already exists."] },
    });
  });

  test("concurrent requests create one group of a name", async () => {
    const make = () => request("POST", "/fleet/groups/", { key: org.key, body: { name: "race" } });
    const statuses = (await Promise.all([make(), make(), make()])).map((response) => response.status);
    expect(statuses.sort()).toEqual([201, 400, 400]);
  });
});
