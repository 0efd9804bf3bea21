import { expect, test } from "vitest";
import { CreateDataset } from "@/domain/datasets/schema";
import { demoChoices, demoFilters, type DemoFilter } from "@/domain/demo/choice";
import { DeviceListFilters } from "@/domain/devices/list-schema";
import { CreateRule } from "@/domain/rules/schema";
import { registerAgent } from "@/server/features/agents/service";
import { createDataset } from "@/server/features/datasets/service";
import { createGroup } from "@/server/features/devices/group-service";
import { createEvent } from "@/server/features/events/write-service";
import { createExport } from "@/server/features/exports/service";
import { createRule } from "@/server/features/rules/service";
import { createWebhook } from "@/server/features/webhooks/service";
import { prisma } from "@/server/platform/db";
import { devicesCsv } from "@/server/read-models/devices/devices-csv";
import { makeAlert } from "@/server/testing/alerts";
import { makeDevice, makeOrganization, makeRecording, type TestOrganization } from "@/server/testing/factories";
import { createTrpcCaller, request } from "@/server/testing/requests";

const rule = {
  condition: { type: "absence", topic: "/battery_state", timeout: "15s" },
  actions: [{ type: "flag_for_review" }],
};

/** A device with a recording, an event, a rule and two alerts; returns its uid. */
async function makeRobot(org: TestOrganization, name: string, demo: boolean): Promise<string> {
  const place = { location: { lat: 53.5, lon: 10 } };
  const device = await makeDevice(org, { name, demo, type: name, firmware_version: name, metadata: place });
  await createGroup(org.ctx, { name, demo });
  const { uid } = await makeRecording(org, device.uid, { name, demo });
  await createEvent(org.ctx, { recording_id: uid, type: "error", label: name, timestamp: 5n });
  await createRule(org.ctx, CreateRule.parse({ ...rule, name, demo }));
  for (const severity of ["critical", "warning"] as const)
    await makeAlert(org, { device: { uid: device.uid, name }, recordingId: uid, severity, demo });
  return device.uid;
}

/** What each list and each count of the dashboard holds: names, or numbers. */
async function look(org: TestOrganization, of: DemoFilter & { device_id?: string }) {
  const me = createTrpcCaller(org);
  const names = <Row>(rows: readonly Row[], name: (row: Row) => string) => [...new Set(rows.map(name))].sort();
  const inbox = await me.alerts.inbox(of);
  const histogram = await me.events.histogram(of);
  const counted = histogram?.buckets.flatMap(({ counts }) => Object.values(counts)) ?? [];
  return {
    recordings: names((await me.recordings.overview(of)).results, (row) => row.name),
    events: names((await me.events.overview(of)).results, (row) => `${row.label} ${row.demo}`),
    histogram: counted.reduce((sum, count) => sum + count, 0),
    inbox: inbox.results.map((row) => row.device_name).sort(),
    tab: (await me.alerts.inboxCounts(of)).open,
    grouped: (await me.alerts.groups({ ...of, by: "device" })).results.map((row) => row.name).sort(),
    bell: (await me.alerts.inbox({ ...of, severity: "critical,error", order: "newest" })).results.length,
  };
}

/** The same for lists and counts that are of no one device. */
async function lookAtFleet(org: TestOrganization, shown: DemoFilter) {
  const me = createTrpcCaller(org);
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  const tiles = await me.overview.tiles({ ...shown, since: "2020-01-01T00:00:00Z" });
  const activity = await me.overview.activity({ ...shown, range: "24h" });
  let csv = "";
  for await (const lines of devicesCsv(org.ctx, DeviceListFilters.parse(shown))) csv += lines;
  return {
    devices: (await me.fleet.devices(shown)).results.map((row) => row.name).sort(),
    csv: [...csv.matchAll(/^dev_\w+/gm)].length,
    groups: (await me.groups.overview(shown)).results.map((row) => row.name).sort(),
    rules: (await me.rules.list(shown)).results.flatMap((row) => (row.builtin ? [] : [row.name])).sort(),
    badge: (await me.alerts.openBadge(shown)).count,
    tiles: sum(Object.values(tiles.alerts)),
    types: (await me.fleet.groups({ ...shown, by: "type" })).map((row) => row.name).sort(),
    firmware: (await me.fleet.firmware(shown)).map((row) => row.version).sort(),
    robots: (await me.overview.fleet(shown)).robots.map((row) => row.name).sort(),
    paged: (await me.overview.robots({ ...shown, fine: false })).results.map((row) => row.name).sort(),
    map: (await me.overview.map(shown)).map((row) => row.name).sort(),
    activity: sum(activity.rules.map((row) => row.alerts)),
    attention: (await me.overview.attention(shown)).map((row) => row.name).sort(),
    found: [
      ...(await me.overview.searchDevices({ ...shown, text: "robot" })).map((row) => `${row.name} ${row.demo}`),
      ...(await me.overview.searchRules({ ...shown, text: "robot" })).map((row) => `${row.name} ${row.demo}`),
      ...(await me.overview.searchAlerts({ ...shown, text: "robot" })).map((row) => `${row.device_name} ${row.demo}`),
    ].sort(),
  };
}

const twice = (...names: string[]) => names.flatMap((name) => [name, name]);

test("every list, count, badge and search holds the demo fleet, one's own or both, as chosen", async () => {
  const org = await makeOrganization();
  const robot = await makeRobot(org, "robot-demo", true);
  await makeRobot(org, "robot-own", false);
  const expected = {
    demo: { names: ["robot-demo"], flags: ["robot-demo true"] },
    yours: { names: ["robot-own"], flags: ["robot-own false"] },
    both: { names: ["robot-demo", "robot-own"], flags: ["robot-demo true", "robot-own false"] },
  };
  for (const choice of demoChoices) {
    const shown = demoFilters[choice];
    const { names, flags } = expected[choice];
    const alerts = 2 * names.length;
    expect(await look(org, shown), choice).toEqual({
      ...{ recordings: names, events: flags, histogram: names.length, inbox: twice(...names) },
      ...{ tab: alerts, grouped: names, bell: names.length },
    });
    expect(await lookAtFleet(org, shown), choice).toEqual({
      ...{ devices: names, csv: names.length, groups: names, rules: names, badge: alerts, tiles: alerts, types: names },
      ...{ firmware: names, robots: names, paged: names, map: names, activity: alerts, attention: names },
      found: flags.flatMap((flag) => [flag, flag, flag, flag]).sort(),
    });
  }
  // One of its objects shows what belongs to it, and its uid finds it.
  const own = demoFilters.yours;
  const ofRobot = { recordings: ["robot-demo"], events: ["robot-demo true"], inbox: twice("robot-demo"), tab: 2 };
  expect(await look(org, { ...own, device_id: robot })).toMatchObject(ofRobot);
  expect(await createTrpcCaller(org).overview.searchDevices({ ...own, text: robot })).toMatchObject([{ demo: true }]);
});

test("webhooks, agents, exports and what is labelled are listed and counted as chosen, too", async () => {
  const org = await makeOrganization();
  for (const [name, demo] of [
    ["demo", true],
    ["own", false],
  ] as const) {
    const { uid } = await createDataset(org.ctx, { ...CreateDataset.parse({ name: `${name} pictures` }), demo });
    const { uid: webhook } = await createWebhook(org.ctx, {
      target_url: `https://example.com/${name}`,
      events: ["dataset.created"],
      demo,
    });
    await prisma.webhookSubscription.update({
      where: { uid: webhook },
      data: { isActive: false, disabledReason: "off" },
    });
    await registerAgent(org.ctx, { name, events: ["result.submitted"], demo });
    await createExport(org.ctx, { name, format: "YOLO", datasets: [uid], projects: [], slices: [], demo });
  }
  const lists = async (shown: DemoFilter) => {
    const me = createTrpcCaller(org);
    const urls = (await me.webhooks.overview(shown)).results.map((row) => row.target_url.split("/").at(-1));
    const agents = (await me.agents.overview(shown)).results.map((row) => row.name);
    const datasets = (await me.datasets.overview(shown)).results.map((row) => row.name.split(" ").at(0));
    const off = (await me.webhooks.turnedOff(shown)).count;
    const exports = (await me.exports.overview(shown)).results.map((row) => row.name);
    return { lists: [urls, agents, datasets, exports].map((names) => names.toSorted()), off };
  };
  const four = (...names: string[]) => [names, names, names, names];
  expect(await lists(demoFilters.both)).toEqual({ lists: four("demo", "own"), off: 2 });
  expect(await lists(demoFilters.yours)).toEqual({ lists: four("own"), off: 1 });
  expect(await lists(demoFilters.demo)).toEqual({ lists: four("demo"), off: 1 });
});

/** Lets a device have sent a heartbeat. */
const report = ({ uid }: { uid: string }) => prisma.device.update({ where: { uid }, data: { lastSeenAt: new Date() } });

test("there is something to choose while there is demo data, and a device of one's own counts once it has reported", async () => {
  const org = await makeOrganization();
  const presence = () => createTrpcCaller(org).demo.presence();
  await report(await makeDevice(org));
  expect(await presence()).toEqual({ present: false, own_reports: false });
  await makeDevice(org, { demo: true });
  expect(await presence()).toEqual({ present: true, own_reports: true });

  const newcomer = await makeOrganization();
  const { uid: robot } = await report(await makeDevice(newcomer, { demo: true }));
  await makeRecording(newcomer, robot, { demo: true });
  const own = await makeDevice(newcomer);
  const ofNewcomer = () => createTrpcCaller(newcomer).demo.presence();
  expect(await ofNewcomer()).toEqual({ present: true, own_reports: false });
  await report(own);
  expect(await ofNewcomer()).toEqual({ present: true, own_reports: true });
  // What is left of a demo whose devices were deleted by hand can still be chosen.
  await prisma.device.delete({ where: { uid: robot } });
  expect(await ofNewcomer()).toEqual({ present: true, own_reports: true });
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
