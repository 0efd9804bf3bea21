import { beforeAll, describe, expect, test } from "vitest";
import type { AlertCounts, AlertDetail, AlertResource } from "@/server/features/alerts/resource";
import type { Page } from "@/server/platform/pagination";
import { newUid } from "@/server/platform/uid";
import { makeAlert, makeChannel } from "@/server/testing/alerts";
import { makeDevice, makeKey, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { request } from "@/server/testing/requests";

let org: TestOrganization;
let other: TestOrganization;

const get = (uid: string, key = org.key) => request<AlertDetail>("GET", `/fleet/alerts/${uid}/`, { key });
const post = <T = AlertDetail>(uid: string, action: string, body: unknown = {}, key = org.key) =>
  request<T>("POST", `/fleet/alerts/${uid}/${action}/`, { key, body });
const list = (query: string) => request<Page<AlertResource>>("GET", `/fleet/alerts/?${query}`, { key: org.key });
const listUids = async (query: string) => (await list(query)).body.results.map((alert) => alert.uid);

describe("finding alerts", () => {
  let channel: string;
  const uids: string[] = [];
  const at = {
    rule: { uid: newUid("rule"), name: "Too hot", version: 1 },
    device: { uid: newUid("device"), name: "arm" },
    recordingId: newUid("recording"),
  };
  beforeAll(async () => {
    [org, other] = await Promise.all([makeOrganization(), makeOrganization()]);
    channel = (await makeChannel(org, "webhook", { url: "https://example.com/hook" })).uid;
    const severities = ["info", "warning", "error", "critical"] as const;
    for (const severity of severities) {
      const channelIds = severity === "info" ? [channel] : [];
      uids.push((await makeAlert(org, { severity, channelIds, ...(severity === "error" && at) })).alertId);
    }
    await post(uids[1] ?? "", "acknowledge");
    await post(uids[2] ?? "", "resolve");
  });
  const at4 = (...positions: number[]) => positions.map((position) => uids[position]);

  test.each([
    ["", [3, 2, 1, 0]],
    ["status=open", [3, 0]],
    ["status=open,acknowledged", [3, 1, 0]],
    ["severity=error,critical", [3, 2]],
    ["severity=error&status=open", []],
    ["device_id=DEVICE", [2]],
    ["device=DEVICE", [2]],
    ["rule=RULE", [2]],
    ["rule_id=RULE", [2]],
    ["recording=RECORDING", [2]],
    ["recording_id=RECORDING", [2]],
    ["channel_id=CHANNEL", [0]],
    ["device_id=dev_nonsense", []],
    ["device_id=FOREIGN", []],
    ["rule_id=%27%3B+DROP+TABLE+alerts--", []],
    ["since=2001-01-01T00:00:00Z", [3, 2, 1, 0]],
    ["since=2098-01-01T00:00:00Z", []],
    ["until=2001-01-01T00:00:00Z", []],
    ["since=2098-01-01T00:00:00Z&until=2001-01-01T00:00:00Z", []],
    ["q=motor+TOO", [3, 1, 0]],
    ["q=100%25", []],
    ["silenced=true", []],
    ["silenced=false", [3, 2, 1, 0]],
  ])("%s", async (query, expected) => {
    const filled = query
      .replace("DEVICE", at.device.uid)
      .replace("RULE", at.rule.uid)
      .replace("RECORDING", at.recordingId)
      .replace("CHANNEL", channel)
      .replace("FOREIGN", newUid("device"));
    expect(await listUids(filled)).toEqual(at4(...expected));
  });

  test.each([
    ["status=closed", "status"],
    ["severity=fatal", "severity"],
    ["since=yesterday", "since"],
    ["limit=0", "limit"],
    ["limit=abc", "limit"],
    ["cursor=garbage", "cursor"],
    ["silenced=maybe", "silenced"],
  ])("%s is refused", async (query, field) => {
    const response = await list(query);
    expect(response.status).toBe(400);
    expect(Object.keys(response.body)).toEqual([field]);
  });

  test("pages contain each alert once, forwards and backwards", async () => {
    const first = await list("limit=2");
    const second = await request<Page<AlertResource>>("GET", first.body.next ?? "", { key: org.key });
    expect([...first.body.results, ...second.body.results].map((alert) => alert.uid)).toEqual(at4(3, 2, 1, 0));
    expect(second.body.next).toBeNull();
    const back = await request<Page<AlertResource>>("GET", second.body.previous ?? "", { key: org.key });
    expect(back.body.results).toEqual(first.body.results);
    expect((await list(`cursor=${new URL(first.body.next ?? "").searchParams.get("cursor")}&status=open`)).status).toBe(
      400,
    );
  });

  test("the counts of the tabs match the lists", async () => {
    const { body } = await request<AlertCounts>("GET", "/fleet/alerts/counts/", { key: org.key });
    expect(body).toMatchObject({ open: 2, acknowledged: 1, resolved: 1, silenced: 0, snoozed: 0 });
    expect(body.open_by_severity).toEqual({ info: 1, warning: 0, error: 0, critical: 1 });
  });

  test("an alert shows its device's current name, and the last one when the device is deleted", async () => {
    const device = await makeDevice(org, { name: "before" });
    const { alertId } = await makeAlert(org, { device: { uid: device.uid, name: device.name } });
    await request("PATCH", `/fleet/devices/${device.uid}/`, { key: org.key, body: { name: "after" } });
    expect((await get(alertId)).body.device_name).toBe("after");
    await request("DELETE", `/fleet/devices/${device.uid}/`, { key: org.key });
    expect((await get(alertId)).body).toMatchObject({ device_id: device.uid, device_name: "after" });
  });

  test("another organization's alert is 404 in every operation", async () => {
    const uid = uids[0] ?? "";
    for (const action of ["acknowledge", "resolve", "reopen", "assign", "snooze", "comments"]) {
      expect([action, (await post(uid, action, { note: 3 }, other.key)).status]).toEqual([action, 404]);
    }
    for (const under of ["", "comments/", "timeline/"]) {
      expect((await request("GET", `/fleet/alerts/${uid}/${under}`, { key: other.key })).status).toBe(404);
    }
    expect((await get(uid)).body.status).toBe("open");
  });

  test("reading needs fleet.read and changing fleet.write", async () => {
    const [reader, writer] = await Promise.all([
      makeKey(org, org.owner, { scopes: ["fleet.read"] }),
      makeKey(org, org.owner, { scopes: ["fleet.write"] }),
    ]);
    expect((await get(uids[0] ?? "", reader)).status).toBe(200);
    expect((await post(uids[0] ?? "", "acknowledge", {}, reader)).status).toBe(403);
    expect((await get(uids[0] ?? "", writer)).status).toBe(403);
    expect((await post(uids[0] ?? "", "acknowledge", {}, writer)).status).toBe(200);
  });
});
