import { afterAll, beforeAll, expect, test } from "vitest";
import type { DeviceResource } from "@/server/features/devices/resource";
import { prisma } from "@/server/platform/db";
import type { Page } from "@/server/platform/pagination";
import { rowObserver } from "@/server/platform/rows";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { request } from "@/server/testing/requests";
import { underSettings } from "@/server/testing/settings";

let org: TestOrganization;
/** Newest first, as the list has them. */
let uids: string[];
beforeAll(async () => {
  org = await makeOrganization();
  for (let n = 0; n < 14; n++) await makeDevice(org);
  const devices = await prisma.device.findMany({ where: { organizationId: org.uid }, orderBy: { uid: "desc" } });
  uids = devices.map(({ uid }) => uid);
});

// Tests compare each row with its columns before it is in a response; here the responses are what is tested.
const compareRows = rowObserver.current;
beforeAll(() => delete rowObserver.current);
afterAll(() => void Object.assign(rowObserver, { current: compareRows }));

/** Gives these devices a status that no schema has, and all others one that it has. */
async function spoil(...at: number[]): Promise<void> {
  await prisma.device.updateMany({ where: { organizationId: org.uid }, data: { status: "online" } });
  const spoiled = at.map((n) => uids[n] ?? "");
  await prisma.device.updateMany({ where: { uid: { in: spoiled } }, data: { status: "asleep" } });
}
const inProduction = <T>(act: () => Promise<T>) => underSettings({ NODE_ENV: "production" }, act);

async function read(address: string) {
  const { status, body } = await request<Page<DeviceResource>>("GET", address, { key: org.key });
  return { status, uids: status === 200 ? body.results.map(({ uid }) => uid) : [], next: body.next ?? null };
}
const below = (next: string | null) => new URL(next ?? "").href.split("/api/v1")[1] ?? "";

test("a list leaves out up to five rows of a page that do not match its schema, and goes on after them", async () => {
  await spoil(1, 4, 6);
  await inProduction(async () => {
    const first = await read("/fleet/devices/?limit=7");
    expect(first).toMatchObject({ status: 200, uids: [0, 2, 3, 5].map((n) => uids[n]) });
    expect(await read(below(first.next))).toEqual({ status: 200, uids: uids.slice(7), next: null });
  });
});

test("a page with six such rows is 500, and one row by itself too", async () => {
  await spoil(0, 1, 2, 3, 4, 5);
  await inProduction(async () => {
    expect((await read("/fleet/devices/?limit=7")).status).toBe(500);
    expect((await read("/fleet/devices/?limit=5")).uids).toEqual([]);
    expect((await request("GET", `/fleet/devices/${uids[0]}/`, { key: org.key })).status).toBe(500);
  });
});

test("in tests, one such row is a 500", async () => {
  await spoil(0);
  expect((await read("/fleet/devices/?limit=7")).status).toBe(500);
});
