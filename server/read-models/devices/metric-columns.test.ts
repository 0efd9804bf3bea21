import { expect, test } from "vitest";
import { noBounds } from "@/domain/health/meanings";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma } from "@/server/platform/db";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { writeMetrics } from "@/server/testing/metric-rows";
import { createTrpcCaller } from "@/server/testing/requests";

const list = async (org: TestOrganization, input: object = {}) =>
  (await createTrpcCaller(org).fleet.devices(input)).results;

async function makeWith(org: TestOrganization, name: string, metrics: object, at = Date.now()): Promise<string> {
  const { uid } = await makeDevice(org, { name });
  await writeMetrics(uid, [[at, metrics]]);
  return uid;
}

test("the metric that is ranked first is a column, until admins choose others", async () => {
  const org = await makeOrganization();
  const caller = createTrpcCaller(org);
  expect(await caller.health.columns()).toEqual({ chosen: null, columns: [], sortable: true });
  const at = Date.now() - 60_000;
  await makeWith(org, "a", { errors: 3, battery: 0.15, mode: "auto" }, at);
  await makeDevice(org, { name: "b" });
  expect(await caller.health.columns()).toMatchObject({
    chosen: null,
    columns: [{ name: "battery", label: "Battery" }],
  });
  const reading = { name: "battery", label: "Battery", text: "15 %", judgement: "warning" };
  expect(await list(org)).toMatchObject([
    { name: "b", readings: [], metrics_at: null },
    { name: "a", readings: [reading], metrics_at: new Date(at).toISOString() },
  ]);

  await caller.organizations.update({ settings: { device_metrics: ["mode", "errors", "unsent"] } });
  expect((await caller.health.columns()).columns.map(({ label }) => label)).toEqual(["Mode", "Errors", "Unsent"]);
  const [, device] = await list(org);
  expect(device?.readings.map(({ text, judgement }) => [text, judgement])).toEqual([
    ["auto", "unknown"],
    ["3", "unknown"],
  ]);
  await caller.organizations.update({ settings: { device_metrics: [] } });
  expect((await caller.health.columns()).columns).toEqual([]);
  await caller.organizations.update({ settings: { device_metrics: null } });
  expect((await caller.health.columns()).columns.map(({ name }) => name)).toEqual(["battery"]);
});

test("what an organization says about a metric holds in the list, for the type of each device", async () => {
  const org = await makeOrganization();
  const caller = createTrpcCaller(org);
  for (const type of ["arm", "amr"]) {
    const { uid } = await makeDevice(org, { name: type, type });
    await writeMetrics(uid, [[Date.now(), { battery: 0.5 }]]);
  }
  const bounds = { ...noBounds, critical_min: 0.6 };
  await caller.health.saveMeaning({ name: "battery", device_type: "arm", label: "Pack", bounds });
  expect((await list(org)).map(({ readings }) => readings)).toMatchObject([
    [{ label: "Battery", judgement: "good" }],
    [{ label: "Pack", judgement: "critical" }],
  ]);
});

test("at most six metrics are chosen, by admins", async () => {
  const org = await makeOrganization();
  const caller = createTrpcCaller(org);
  const device_metrics = ["a", "b", "c", "d", "e", "f", "g"];
  await expect(caller.organizations.update({ settings: { device_metrics } })).rejects.toMatchObject({
    code: "BAD_REQUEST",
  });
  await expect(caller.organizations.update({ settings: { device_metrics: ["a b"] } })).rejects.toMatchObject({
    code: "BAD_REQUEST",
  });
});

test("devices are sorted by a metric in both directions: numbers, texts, then those without it, page by page", async () => {
  const org = await makeOrganization();
  const values: [name: string, metrics: object][] = [
    ["none", {}],
    ["ten", { load: 10 }],
    ["two", { load: 2 }],
    ["text b", { load: "b" }],
    ["list", { load: [1] }],
    ["minus", { load: -0.1 }],
    ["text a", { load: "a" }],
    ["two again", { load: 2 }],
    ["yes", { load: true }],
  ];
  for (const [name, metrics] of values) {
    const { uid } = await makeDevice(org, { name });
    await prisma.device.update({ where: { uid }, data: { metrics } });
  }
  await makeWith(await makeOrganization(), "of others", { load: 1 });
  const caller = createTrpcCaller(org);
  const pages = async (ordering: string, limit: number) => {
    const names: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof caller.fleet.devices>> = await caller.fleet.devices({
        ordering,
        limit,
        ...(cursor !== null && { cursor }),
      });
      names.push(...page.results.map(({ name }) => name));
      cursor = page.next;
    } while (cursor !== null);
    return names;
  };
  const up = ["minus", "two", "two again", "ten", "text a", "text b", "yes", "none", "list"];
  const down = ["ten", "two again", "two", "minus", "yes", "text b", "text a", "list", "none"];
  for (const limit of [1, 2, 100]) {
    expect(await pages("metric:load", limit)).toEqual(up);
    expect(await pages("-metric:load", limit)).toEqual(down);
  }
  const second = await caller.fleet.devices({ ordering: "metric:load", limit: 2 });
  const third = await caller.fleet.devices({ ordering: "metric:load", limit: 2, cursor: second.next ?? "" });
  const back = await caller.fleet.devices({ ordering: "metric:load", limit: 2, cursor: third.previous ?? "" });
  expect(back.results.map(({ name }) => name)).toEqual(["minus", "two"]);
  await expect(caller.fleet.devices({ ordering: "-metric:load", cursor: second.next ?? "" })).rejects.toMatchObject({
    code: "BAD_REQUEST",
  });
});

test("devices are sorted by a metric inside an object, and by no other text", async () => {
  const org = await makeOrganization();
  await makeWith(org, "much", { disk: { free_gb: 90 } });
  await makeWith(org, "little", { disk: { free_gb: 9 } });
  expect((await list(org, { ordering: "metric:disk.free_gb" })).map(({ name }) => name)).toEqual(["little", "much"]);
  for (const ordering of ["name", "metric:", "--metric:a", "metric:a b", "metric:a'"]) {
    await expect(list(org, { ordering })).rejects.toMatchObject({ code: "BAD_REQUEST" });
  }
});

test("of more than 10,000 devices none are sorted by a metric, and the list says so", async () => {
  const org = await makeOrganization();
  const add = (from: number, to: number) =>
    execute(
      { db: prisma },
      Prisma.sql`insert into devices (uid, organization_id, name, metrics, token_hash, token_last_four)
        select 'dev_sorted_' || n, ${org.uid}, 'robot ' || n, jsonb_build_object('load', n % 100), ${org.uid} || n, '0000'
        from generate_series(${from}::int, ${to}::int) n`,
    );
  await add(1, 10_000);
  const caller = createTrpcCaller(org);
  expect((await caller.health.columns()).sortable).toBe(true);
  expect((await list(org, { ordering: "-metric:load", limit: 1 })).map(({ metrics }) => metrics)).toEqual([
    { load: 99 },
  ]);
  await add(10_001, 10_001);
  expect((await caller.health.columns()).sortable).toBe(false);
  await expect(list(org, { ordering: "metric:load" })).rejects.toMatchObject({ code: "BAD_REQUEST" });
  expect(await list(org, { limit: 1 })).toHaveLength(1);
});
