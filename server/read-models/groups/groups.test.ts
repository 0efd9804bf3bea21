import { describe, expect, test } from "vitest";
import { matchScope, rulesInScope } from "@/server/features/rules/scope-queries";
import { prisma } from "@/server/platform/db";
import { newUid } from "@/server/platform/uid";
import { addMember, makeDevice, makeOrganization, unique } from "@/server/testing/factories";
import { createTrpcCaller } from "@/server/testing/requests";

const [org, other] = await Promise.all([makeOrganization(), makeOrganization()]);
const call = createTrpcCaller(org);
const make = async (parent: string | null = null, deviceIds: string[] = []) =>
  (await call.groups.create({ name: unique("group"), parent_id: parent, device_ids: deviceIds })).uid;
const get = (uid: string) => call.groups.overviewOf({ uid });
const move = (uid: string, parent: string | null) => call.groups.update({ uid, change: { parent_id: parent } });
const getPath = async (uid: string) => (await get(uid)).path.map((each) => each.uid);

describe("groups inside groups", () => {
  test("move with all that is inside them, and count its devices once", async () => {
    const [a, b] = await Promise.all([makeDevice(org), makeDevice(org)]);
    const site = await make();
    const hall = await make(site, [a.uid]);
    const line = await make(hall, [a.uid, b.uid]);
    expect(await getPath(line)).toEqual([site, hall]);
    expect(await get(site)).toMatchObject({ own_devices: 0, devices: 2, offline: 2, online: 0, groups: 1 });
    const plant = await make();
    await move(hall, plant);
    expect(await getPath(line)).toEqual([plant, hall]);
    expect(await get(site)).toMatchObject({ devices: 0, groups: 0 });
    await move(hall, null);
    expect([await getPath(hall), await getPath(line)]).toEqual([[], [hall]]);
  });

  test("refuse to be inside themselves, inside what is not there, or too deep", async () => {
    const site = await make();
    const hall = await make(site);
    const foreign = await createTrpcCaller(other).groups.create({ name: "Theirs" });
    for (const parent of [site, hall])
      await expect(move(site, parent)).rejects.toThrow("A group cannot be inside itself.");
    for (const parent of [foreign.uid, newUid("group")])
      await expect(move(site, parent)).rejects.toThrow("object does not exist");
    let deepest: string | null = null;
    for (let level = 0; level < 8; level++) deepest = await make(deepest);
    await expect(make(deepest)).rejects.toThrow("at most 8 levels deep");
    await expect(move(site, (await getPath(deepest ?? "")).at(-1) ?? null)).rejects.toThrow("at most 8 levels deep");
    expect(await getPath(hall)).toEqual([site]);
  });

  test("move up when the group around them is deleted; devices stay", async () => {
    const device = await makeDevice(org);
    const site = await make();
    const hall = await make(site, [device.uid]);
    const line = await make(hall);
    await call.groups.delete({ uid: hall });
    expect(await getPath(line)).toEqual([site]);
    expect(await prisma.device.count({ where: { uid: device.uid } })).toBe(1);
  });

  test("are watched by the rules of the groups around them", async () => {
    const device = await makeDevice(org);
    const site = await make();
    const line = await make(await make(site), [device.uid]);
    const rule = await call.rules.create({
      name: unique("rule"),
      condition: { type: "threshold", topic: "/motor/temp", field: "data.value", operator: "gt", value: 80 },
      scope: { group_ids: [site] },
      actions: [{ type: "tag", value: "hot" }],
    });
    expect((await matchScope(org.ctx, { group_ids: [site] })).devices.map(({ uid }) => uid)).toEqual([device.uid]);
    expect((await rulesInScope(org.ctx, device.uid)).map(({ uid }) => uid)).toContain(rule.uid);
    const watching = await call.fleet.rules({ uid: device.uid });
    expect(watching.find(({ uid }) => uid === rule.uid)?.why).toBe(`Group ${(await get(site)).name}`);
    expect((await call.groups.uses({ uid: line })).rules).toEqual([
      { uid: rule.uid, name: rule.name, enabled: true, through: (await get(site)).name },
    ]);
    expect((await call.groups.uses({ uid: site })).rules).toMatchObject([{ uid: rule.uid, through: null }]);
  });
});

describe("the list of groups", () => {
  test("has one level by name, pages, and a search over all levels with the way to each", async () => {
    const own = await makeOrganization();
    const mine = createTrpcCaller(own).groups;
    const { uid: site } = await mine.create({ name: "Berlin" });
    await mine.create({ name: "Hall 2", parent_id: site });
    await mine.create({ name: "Hall 1", parent_id: site });
    await mine.create({ name: "Aachen" });
    const names = async (input: Parameters<typeof mine.overview>[0]) =>
      (await mine.overview(input)).results.map(({ name, path }) => [...path.map((each) => each.name), name].join("/"));
    expect(await names({})).toEqual(["Aachen", "Berlin"]);
    expect(await names({ ordering: "-name" })).toEqual(["Berlin", "Aachen"]);
    expect(await names({ parent: site })).toEqual(["Berlin/Hall 1", "Berlin/Hall 2"]);
    expect(await names({ search: "hall" })).toEqual(["Berlin/Hall 1", "Berlin/Hall 2"]);
    const first = await mine.overview({ limit: 1 });
    expect([first.results.map(({ name }) => name), await names({ limit: 1, cursor: first.next ?? "" })]).toEqual([
      ["Aachen"],
      ["Berlin"],
    ]);
    expect((await mine.targets({ moving: site })).map(({ name }) => name)).toEqual(["Aachen"]);
    expect(await mine.targets({ search: "hall 1" })).toMatchObject([{ name: "Hall 1", path: "Berlin" }]);
    expect(await createTrpcCaller(other).groups.overview({ parent: site })).toMatchObject({ results: [] });
    await expect(createTrpcCaller(other).groups.overviewOf({ uid: site })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("the devices of a group", () => {
  test("are added and taken out by uid or by filter, and each change says which they were", async () => {
    const type = unique("type");
    const [a, b, c] = await Promise.all([
      makeDevice(org, { type }),
      makeDevice(org, { type }),
      makeDevice(org, { type: unique("type") }),
    ]);
    const uid = await make(null, [a.uid]);
    const sorted = (uids: string[]) => [...uids].sort();
    expect(await call.groups.addDevices({ uid, device_ids: [a.uid, c.uid] })).toEqual({ changed: [c.uid] });
    expect((await call.groups.addDevices({ uid, filters: { type } })).changed).toEqual([b.uid]);
    expect(sorted((await call.groups.get({ uid })).device_ids)).toEqual(sorted([a.uid, b.uid, c.uid]));
    expect((await call.fleet.devices({ group_id: uid, type })).results).toHaveLength(2);
    expect((await call.fleet.devices({ not_in_group: uid, type })).results).toEqual([]);
    const around = await make();
    await move(uid, around);
    expect((await call.fleet.devices({ not_in_group: around, type })).results).toHaveLength(2);
    expect(sorted((await call.groups.removeDevices({ uid, filters: { type } })).changed)).toEqual(
      sorted([a.uid, b.uid]),
    );
    const foreign = await makeDevice(other);
    await expect(call.groups.addDevices({ uid, device_ids: [foreign.uid] })).rejects.toThrow("object does not exist");
    const member = await addMember(org, "member");
    await expect(createTrpcCaller(org, member).groups.addDevices({ uid, device_ids: [a.uid] })).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
  });

  test("that a silence names make it one of the group's uses", async () => {
    const device = await makeDevice(org);
    const site = await make();
    await make(site, [device.uid]);
    const silence = await call.silences.create({
      matchers: { device_ids: [device.uid] },
      reason: "moving house",
      ends_at: "2999-01-01T00:00:00Z",
    });
    expect((await call.groups.uses({ uid: site })).silences).toEqual([
      { uid: silence.uid, reason: "moving house", devices: 1, active: true, ends_at: "2999-01-01T00:00:00.000Z" },
    ]);
  });
});
