import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { queueExecutions } from "@/server/features/platform-events/execution-queue-service";
import { queueDeliveries } from "@/server/features/platform-events/webhook-queue-service";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma } from "@/server/platform/db";
import { addMember, makeOrganization, unique, type TestMember } from "@/server/testing/factories";
import { startLoopback, type Loopback } from "@/server/testing/loopback";
import { callTool, connectModel } from "@/server/testing/model-host";
import { createTrpcCaller, request } from "@/server/testing/requests";
import { slugOfMark } from "@/server/testing/seed-data-loop";
import { seedOrganization } from "@/server/testing/seed-organization";

/** What was sent about a dataset and a project with `access: "assigned"`, for members who are not assigned. */

let server: Loopback;
beforeAll(async () => {
  server = await startLoopback();
});
afterAll(() => server.close());

type Setting = Awaited<ReturnType<typeof makeSetting>>;

async function makeSetting() {
  const org = await makeOrganization();
  const mark = unique("sent");
  const { by } = await seedOrganization(org, mark);
  const [assigned, other, viewer, admin] = await Promise.all([
    addMember(org),
    addMember(org, "member", { staff: true }),
    addMember(org, "member", { readOnly: true }),
    addMember(org, "admin"),
  ]);
  await prisma.export.update({ where: { uid: by.export }, data: { datasets: [by.dataset] } });
  await prisma.webhookDelivery.deleteMany({ where: { organizationId: org.uid } });
  await prisma.agentExecution.deleteMany({ where: { organizationId: org.uid } });
  const setting = { org, by, slug: slugOfMark(mark), assigned, other, viewer, admin };
  const events = describeEvents(setting);
  const deliveries: Record<string, string> = {};
  for (const [event, payload] of Object.entries(events)) {
    const [uid = ""] = await queueDeliveries(org.ctx, [by.webhook], event, { event, ...payload });
    deliveries[event] = uid;
    await queueExecutions(org.ctx, [{ uid: by.agent, callback_url: "" }], event, { event, ...payload });
  }
  await prisma.webhookDelivery.updateMany({
    where: { organizationId: org.uid },
    data: { status: "failed", error: "the receiver said no", responseStatus: 500, nextAttemptAt: null },
  });
  return { ...setting, deliveries };
}

const describeEvents = ({ by }: Pick<Awaited<ReturnType<typeof seedOrganization>>, "by">) => ({
  "dataset.updated": { dataset_uid: by.dataset, name: "secret" },
  "export.completed": { export_uid: by.export, name: "secret" },
  "task.completed": { task_uid: by.task, project_uid: by.project },
  "result.submitted": { result_uid: by.result, task_uid: by.task, project_uid: by.project },
  "auto_label.completed": { job_uid: by.run },
  "quality.alert": { project_uid: by.project },
  "test.ping": {},
});
/** The events that hang on the dataset, and those that hang on the project. */
const ofDataset = ["dataset.updated", "export.completed", "task.completed", "result.submitted", "auto_label.completed"];
const ofProject = ["task.completed", "result.submitted", "quality.alert"];
const all = [...ofDataset, "quality.alert", "test.ping"].sort();
const without = (hidden: readonly string[]) => all.filter((event) => !hidden.includes(event));

const Page = z.object({ results: z.array(z.object({ event_type: z.string() })) });
const toEvents = (page: unknown): string[] =>
  Page.parse(page)
    .results.map(({ event_type: event }) => event)
    .sort();

/** The events that a person finds by each way to read them. */
async function readWays({ org, by, deliveries }: Setting, person: TestMember): Promise<Record<string, string[]>> {
  const api = createTrpcCaller(org, person);
  const found = async (read: (uid: string) => Promise<boolean>) => {
    const each = await Promise.all(
      Object.entries(deliveries).map(async ([event, uid]) => ((await read(uid)) ? [event] : [])),
    );
    return each.flat().sort();
  };
  const get = (path: string) => request("GET", path, { key: person.key });
  const { groups } = await api.deliveries.groups({ uid: by.webhook });
  return {
    list: toEvents((await get("/webhook-deliveries/?limit=100")).body),
    ofWebhook: toEvents((await get(`/webhook-deliveries/?subscription=${by.webhook}&status=failed`)).body),
    get: await found(async (uid) => (await get(`/webhook-deliveries/${uid}/`)).status === 200),
    screen: toEvents(await api.deliveries.list({ subscription: by.webhook })),
    page: await found((uid) =>
      api.deliveries.get({ uid }).then(
        () => true,
        () => false,
      ),
    ),
    groups: groups.flatMap(({ event_types: events }) => events).sort(),
    executions: toEvents((await get(`/agents/${by.agent}/executions/?limit=100`)).body),
    executionScreen: toEvents(await api.agents.executions({ uid: by.agent })),
  };
}

/** How many failures a person sees, where only their number is shown. */
async function countFailures({ org, by }: Setting, person: TestMember): Promise<number[]> {
  const api = createTrpcCaller(org, person);
  const { groups } = await api.deliveries.groups({ uid: by.webhook });
  return [
    groups.reduce((sum, { count }) => sum + count, 0),
    (await api.webhooks.page({ uid: by.webhook })).failing?.count ?? 0,
    (await api.webhooks.replayPreview({ uid: by.webhook })).count,
  ];
}

const everyWay = (events: readonly string[]) => ({
  list: events,
  ofWebhook: events,
  get: events,
  screen: events,
  page: events,
  groups: events,
  executions: events,
  executionScreen: events,
});

const close = ({ by }: Setting, kind: "dataset" | "project") =>
  kind === "dataset"
    ? prisma.dataset.update({ where: { uid: by.dataset }, data: { access: "assigned" } })
    : prisma.project.update({ where: { uid: by.project }, data: { access: "assigned" } });

describe.each([
  ["dataset", ofDataset],
  ["project", ofProject],
] as const)("deliveries and executions about a %s with assigned access", (kind, hidden) => {
  let setting: Setting;
  beforeAll(async () => {
    setting = await makeSetting();
  });

  test("are read by every member while its access is the organization's", async () => {
    expect(await readWays(setting, setting.other)).toEqual(everyWay(all));
  });

  test("are read by admins and the assigned members, and by nobody else in any way", async () => {
    const { org, by, slug, assigned, other, viewer, admin } = setting;
    await close(setting, kind);
    const base = kind === "dataset" ? `/datasets/${org.slug}/${slug}` : `/projects/${org.slug}/${by.project}`;
    const added = await request("POST", `${base}/members/`, { key: org.key, body: { user: assigned.uid } });
    expect(added.status).toBe(201);
    for (const person of [org.owner, admin, assigned]) expect(await readWays(setting, person)).toEqual(everyWay(all));
    for (const person of [other, viewer]) expect(await readWays(setting, person)).toEqual(everyWay(without(hidden)));
    await request("DELETE", `${base}/members/${assigned.uid}/`, { key: org.key });
    expect(await readWays(setting, assigned)).toEqual(everyWay(without(hidden)));
  });

  test("are not counted for others among what fails", async () => {
    const shown = all.length - hidden.length;
    expect(await countFailures(setting, setting.other)).toEqual([shown, shown, shown]);
    expect(await countFailures(setting, setting.admin)).toEqual([all.length, all.length, all.length]);
  });

  test("are not read by a model through the key of another member", async () => {
    const client = await connectModel(`${server.url}/api/v1/mcp/`, setting.other.key);
    const listed = await callTool(client, "webhook_deliveries_list", { limit: 100 });
    expect(JSON.stringify(listed)).toContain("test.ping");
    for (const event of hidden) expect(JSON.stringify(listed)).not.toContain(event);
  });

  test("stay hidden when they are sent again", async () => {
    const { org, by, deliveries, other, admin } = setting;
    const [event = ""] = hidden;
    const again = await request("POST", `/webhook-deliveries/${deliveries[event]}/redeliver/`, { key: org.key });
    expect(again.status).toBe(202);
    await createTrpcCaller(org).webhooks.replay({ uid: by.webhook, per_second: 100 });
    const copies = await prisma.webhookDelivery.findMany({
      where: { organizationId: org.uid, eventType: event, replayOf: { not: null } },
    });
    expect(copies.length).toBeGreaterThan(0);
    for (const { uid } of copies) {
      expect((await request("GET", `/webhook-deliveries/${uid}/`, { key: other.key })).status).toBe(404);
      expect((await request("GET", `/webhook-deliveries/${uid}/`, { key: admin.key })).status).toBe(200);
    }
  });

  test("that name their object in the payload alone, as first versions wrote them, are as hidden", async () => {
    const fresh = await makeSetting();
    await execute(
      { db: prisma },
      Prisma.sql`update webhook_deliveries set object_id = null where organization_id = ${fresh.org.uid}`,
    );
    expect((await readWays(fresh, fresh.other)).list).toEqual(all);
    await close(fresh, kind);
    expect((await readWays(fresh, fresh.other)).list).toEqual(without(hidden));
    expect((await readWays(fresh, fresh.admin)).list).toEqual(all);
  });
});

test("deliveries and executions about what was deleted are read by admins alone", async () => {
  const setting = await makeSetting();
  const { org, by, slug, other, assigned, admin } = setting;
  await prisma.datasetMember.create({
    data: { datasetId: by.dataset, userId: assigned.uid, organizationId: org.uid },
  });
  await close(setting, "dataset");
  await prisma.project.deleteMany({ where: { uid: by.project } });
  const deleted = await request("DELETE", `/datasets/${org.slug}/${slug}/`, { key: org.key });
  expect(deleted.status).toBe(204);
  await prisma.export.delete({ where: { uid: by.export } });
  await prisma.run.delete({ where: { uid: by.run } });
  for (const person of [other, assigned]) expect(await readWays(setting, person)).toEqual(everyWay(["test.ping"]));
  expect(await readWays(setting, admin)).toEqual(everyWay(all));
});

test("a key reads what its owner does", async () => {
  const setting = await makeSetting();
  await close(setting, "dataset");
  const { key } = await addMember(setting.org, "member", { scopes: ["webhooks.read"] });
  expect(toEvents((await request("GET", "/webhook-deliveries/?limit=100", { key })).body)).toEqual(without(ofDataset));
});
