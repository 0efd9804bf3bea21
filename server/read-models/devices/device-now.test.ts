import { expect, test } from "vitest";
import { nsFromMs } from "@/domain/time/nanoseconds";
import { prisma } from "@/server/platform/db";
import { newUid, uidFloor } from "@/server/platform/uid";
import { makeAlert } from "@/server/testing/alerts";
import { makeDevice, makeOrganization, makeRecording } from "@/server/testing/factories";
import { createTrpcCaller } from "@/server/testing/requests";

const hour = 3_600_000;

test("what changed about a device comes newest first, page by page, without what nobody watches", async () => {
  const org = await makeOrganization();
  const caller = createTrpcCaller(org);
  const { uid } = await makeDevice(org, { tags: ["lab"], firmware_version: "1.0" });
  const other = await makeDevice(org);
  await caller.devices.update({ uid: other.uid, change: { name: "another", status: "online" } });
  await caller.devices.update({ uid, change: { tags: ["lab", "night"], name: "arm-2" } });
  await caller.devices.update({ uid, change: { metadata: { site: "berlin" } } });
  await caller.devices.update({ uid, change: { firmware_version: "1.1" } });
  await caller.devices.update({ uid, change: { status: "online" } });

  const all = await caller.fleet.changes({ uid });
  expect(all.next).toBeNull();
  expect(all.results.map(({ kind, before, after }) => [kind, before, after])).toEqual([
    ["status", null, { status: "online" }],
    ["firmware", { firmware_version: "1.0" }, { firmware_version: "1.1" }],
    ["edit", expect.objectContaining({ tags: ["lab"] }), { name: "arm-2", tags: ["lab", "night"] }],
  ]);
  expect(all.results[2]?.by).toBe(org.owner.username);

  const first = await caller.fleet.changes({ uid, limit: 2 });
  const second = await caller.fleet.changes({ uid, limit: 2, cursor: first.next ?? "" });
  expect([...first.results, ...second.results]).toEqual(all.results);
  expect([first.results.length, second.next]).toEqual([2, null]);
});

test("the newest picture of a device is the last one of the newest recording that has any", async () => {
  const org = await makeOrganization();
  const caller = createTrpcCaller(org);
  const { uid } = await makeDevice(org);
  expect(await caller.fleet.picture({ uid })).toBeNull();
  const now = Date.now();
  const film = async (startedAt: number, seconds: number[], storageKey: string | null) => {
    const recording = await makeRecording(org, uid, { startedAt: new Date(startedAt), name: storageKey ?? "none" });
    const frames = seconds.map((second, at) => ({ time_ns: `${second}000000000`, offset: at * 10, length: 9 }));
    const cameras = [
      { topic: "/blind", frames: [], reason: "no pictures" },
      { topic: "/rear", frames: frames.slice(0, 1) },
      { topic: "/front", frames },
    ];
    const row = { recordingId: recording.uid, organizationId: org.uid, storageKey };
    await prisma.filmstrip.create({ data: { ...row, cameras: storageKey ? cameras : [] } });
    return recording;
  };
  await film(now - 3 * hour, [1], "filmstrips/a/b/old");
  const newest = await film(now - 2 * hour, [1, 2, 3], "filmstrips/a/b/new");
  await film(now - hour, [], null);
  await makeRecording(org, uid, { startedAt: new Date(now) });
  expect(await caller.fleet.picture({ uid })).toEqual({
    recording_id: newest.uid,
    recording_name: "filmstrips/a/b/new",
    topic: "/front",
    at: "1970-01-01T00:00:03.000000000Z",
    version: "new",
    offset: 20,
    length: 9,
  });
});

test("of a device of another organization nothing is said", async () => {
  const [own, other] = [await makeOrganization(), await makeOrganization()];
  const { uid } = await makeDevice(other);
  const caller = createTrpcCaller(own);
  await expect(caller.fleet.changes({ uid })).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(caller.fleet.picture({ uid })).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("the timeline has the alerts that lasted into its window, and none that was over before", async () => {
  const org = await makeOrganization();
  const caller = createTrpcCaller(org);
  const device = await makeDevice(org);
  const now = Date.now();
  const at = (hours: number) => new Date(now - hours * hour);
  const raise = async (name: string, hours: number, resolved: number | null, status = "open") => {
    const { alertId } = await makeAlert(org, {
      rule: { uid: newUid("rule"), name, version: 1 },
      device: { uid: device.uid, name: "arm" },
      recordingId: null,
      triggeredNs: nsFromMs(at(hours)),
    });
    const over = resolved === null ? { status } : { status: "resolved", resolvedAt: at(resolved) };
    // As if it had been made then, not now.
    const uid = uidFloor("alert", at(hours).getTime()).slice(0, -12) + alertId.slice(-12);
    await prisma.alert.update({ where: { uid: alertId }, data: { uid, ...over } });
  };
  await raise("still open", 400, null);
  await raise("acknowledged", 300, null, "acknowledged");
  await raise("over in the window", 200, 10);
  await raise("over before", 200, 30);
  await raise("of the window", 5, 1);
  await raise("after it", 0.5, null);
  const names = async (from: number, to: number) => {
    const { alerts } = await caller.fleet.timeline({
      uid: device.uid,
      from: at(from).toISOString(),
      to: at(to).toISOString(),
    });
    return alerts.map(({ rule_name: name }) => name);
  };
  expect(await names(24, 1)).toEqual(["of the window", "over in the window", "acknowledged", "still open"]);
  expect(await names(350, 250)).toEqual(["acknowledged", "still open"]);
});
