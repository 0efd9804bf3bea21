import { expect, test } from "vitest";
import { CreateRule } from "@/domain/rules/schema";
import { registerAgent } from "@/server/features/agents/service";
import { createEvent } from "@/server/features/events/write-service";
import { createExport } from "@/server/features/exports/service";
import { createRule } from "@/server/features/rules/service";
import { createWebhook } from "@/server/features/webhooks/service";
import { devicesCsv } from "@/server/read-models/devices/devices-csv";
import { makeAlert } from "@/server/testing/alerts";
import { makeDataset } from "@/server/testing/datasets";
import { makeDevice, makeOrganization, makeRecording, type TestOrganization } from "@/server/testing/factories";
import { createTrpcCaller, request } from "@/server/testing/requests";

const rule = {
  condition: { type: "absence", topic: "/battery_state", timeout: "15s" },
  actions: [{ type: "flag_for_review" }],
};

/** A device with a recording, an event, a rule and two alerts; returns its uid. */
async function makeRobot(org: TestOrganization, name: string, demo: boolean): Promise<string> {
  const device = await makeDevice(org, { name, demo, type: name });
  const { uid } = await makeRecording(org, device.uid, { name, demo });
  await createEvent(org.ctx, { recording_id: uid, type: "error", label: name, timestamp: 5n });
  await createRule(org.ctx, CreateRule.parse({ ...rule, name, demo }));
  for (const severity of ["critical", "warning"] as const)
    await makeAlert(org, { device: { uid: device.uid, name }, recordingId: uid, severity, demo });
  return device.uid;
}

interface Filter {
  demo?: "true" | "false";
  device_id?: string;
}

/** What each list and each count of the dashboard holds: names, or numbers. */
async function look(org: TestOrganization, { device_id, ...demo }: Filter = {}) {
  const me = createTrpcCaller(org);
  const of = { ...demo, device_id };
  const names = <Row>(rows: readonly Row[], name: (row: Row) => string) => [...new Set(rows.map(name))].sort();
  const inbox = await me.alerts.inbox(of);
  const histogram = await me.events.histogram(of);
  const counted = histogram?.buckets.flatMap(({ counts }) => Object.values(counts)) ?? [];
  return {
    recordings: names((await me.recordings.overview(of)).results, (row) => row.name),
    events: names((await me.events.overview(of)).results, (row) => row.label),
    histogram: counted.reduce((sum, count) => sum + count, 0),
    inbox: inbox.results.map((row) => row.device_name).sort(),
    tab: (await me.alerts.inboxCounts(of)).open,
    grouped: (await me.alerts.groups({ ...of, by: "device" })).results.map((row) => row.name).sort(),
    bell: (await me.alerts.inbox({ ...of, severity: "critical,error", order: "newest" })).results.length,
  };
}

/** The same for lists and counts that are of no one device. */
async function lookAtFleet(org: TestOrganization, demo: Filter = {}) {
  const me = createTrpcCaller(org);
  const tiles = await me.overview.tiles({ since: "2020-01-01T00:00:00Z" });
  return {
    devices: (await me.fleet.devices(demo)).results.map((row) => row.name).sort(),
    rules: (await me.rules.list(demo)).results.flatMap((row) => (row.builtin ? [] : [row.name])).sort(),
    badge: (await me.alerts.openBadge()).count,
    tiles: Object.values(tiles.alerts).reduce((sum, count) => sum + count, 0),
    types: (await me.fleet.groups({ by: "type" })).map((row) => row.name).sort(),
    robots: (await me.overview.fleet()).robots.map((row) => row.name).sort(),
  };
}

const twice = (...names: string[]) => names.flatMap((name) => [name, name]);

test("the demo fleet is listed and counted until there is a device of one's own, and then nowhere", async () => {
  const org = await makeOrganization();
  const robot = await makeRobot(org, "demo", true);
  const onlyDemo = { recordings: ["demo"], events: ["demo"], histogram: 1, inbox: twice("demo"), tab: 2, bell: 1 };
  expect(await look(org)).toMatchObject({ ...onlyDemo, grouped: ["demo"] });
  const fleet = { devices: ["demo"], rules: ["demo"], badge: 2, tiles: 2, types: ["demo"], robots: ["demo"] };
  expect(await lookAtFleet(org)).toEqual(fleet);

  await makeRobot(org, "own", false);
  const onlyOwn = { recordings: ["own"], events: ["own"], histogram: 1, inbox: twice("own"), tab: 2, bell: 1 };
  expect(await look(org)).toMatchObject({ ...onlyOwn, grouped: ["own"] });
  expect(await look(org, { demo: "false" })).toMatchObject(onlyOwn);
  expect(await lookAtFleet(org)).toEqual({
    ...{ devices: ["own"], rules: ["own"], badge: 2, tiles: 2, types: ["own"], robots: ["own"] },
  });
  let csv = "";
  for await (const lines of devicesCsv(org.ctx, { limit: 200 })) csv += lines;
  expect(csv).not.toContain("demo,demo");

  // It is there for those who ask for it, or for one of its objects.
  expect(await look(org, { demo: "true" })).toMatchObject(onlyDemo);
  expect(await look(org, { device_id: robot })).toMatchObject(onlyDemo);
  expect(await lookAtFleet(org, { demo: "true" })).toMatchObject({ devices: ["demo"], rules: ["demo"] });
});

test("webhooks, agents and exports of the demo leave their lists with the first own device, too", async () => {
  const org = await makeOrganization();
  const { uid } = await makeDataset(org);
  for (const [name, demo] of [
    ["demo", true],
    ["own", false],
  ] as const) {
    await createWebhook(org.ctx, { target_url: `https://example.com/${name}`, events: ["dataset.created"], demo });
    await registerAgent(org.ctx, { name, events: ["result.submitted"], demo });
    await createExport(org.ctx, { name, format: "YOLO", datasets: [uid], projects: [], slices: [], demo });
  }
  const lists = async (filter: Filter = {}) => {
    const me = createTrpcCaller(org);
    const urls = (await me.webhooks.overview(filter)).results.map((row) => row.target_url.split("/").at(-1));
    const agents = (await me.agents.overview(filter)).results.map((row) => row.name);
    return [urls, agents, (await me.exports.overview(filter)).results.map((row) => row.name)];
  };
  expect(await lists()).toEqual([
    ["own", "demo"],
    ["own", "demo"],
    ["own", "demo"],
  ]);
  await makeDevice(org);
  expect(await lists()).toEqual([["own"], ["own"], ["own"]]);
  expect(await lists({ demo: "true" })).toEqual([["demo"], ["demo"], ["demo"]]);
});

test("the API lists demo rows as it always did, and filters by them", async () => {
  const org = await makeOrganization();
  await makeRobot(org, "demo", true);
  await makeRobot(org, "own", false);
  for (const [path, name] of [
    ["devices", "name"],
    ["recordings", "name"],
    ["events", "label"],
    ["rules", "name"],
    ["alerts", "device_name"],
  ] as const) {
    const list = async (query: string) => {
      const { body } = await request("GET", `/fleet/${path}/?limit=200${query}`, { key: org.key });
      const { results } = body as unknown as { results: Record<string, unknown>[] };
      return [...new Set(results.filter((row) => row.builtin !== true).map((row) => row[name]))].sort();
    };
    expect(await list(""), path).toEqual(["demo", "own"]);
    expect(await list("&demo=true"), path).toEqual(["demo"]);
    expect(await list("&demo=false"), path).toEqual(["own"]);
  }
});
