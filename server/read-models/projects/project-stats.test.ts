import { beforeAll, expect, test } from "vitest";
import type { ProjectResource } from "@/server/features/projects/resource";
import { prisma } from "@/server/platform/db";
import { uuidv7 } from "@/server/platform/uid";
import { readProjectStats } from "@/server/read-models/projects/project-stats";
import { pictures } from "@/server/testing/datasets";
import { addMember, makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";

let org: TestOrganization;
let project: string;
let tasks: { uid: string; itemId: string }[];
const rule = uuidv7();

const call = requestsWith(() => org.key);
const box = { label: "robot", type: "bbox", coordinates: { x: 1, y: 1, width: 2, height: 2 } };

beforeAll(async () => {
  org = await makeOrganization();
  const dataset = await pictures(org, 6);
  const body = { name: unique("p"), task_type: "image-annotation", datasets: [dataset.uid] };
  project = (await call<ProjectResource>("POST", "/projects/", body)).body.uid;
  await call("POST", `/projects/${project}/approve/`);
  tasks = await prisma.task.findMany({ where: { projectId: project }, orderBy: { uid: "asc" } });
  const device = (await call<{ uid: string }>("POST", "/fleet/devices/", { name: "Mule 3", type: "amr" })).body.uid;
  const from = (at: number, source: object) =>
    prisma.item.update({ where: { uid: tasks[at]?.itemId ?? "" }, data: { metadata: { source } } });
  for (const at of [0, 1, 2]) await from(at, { device_id: device, ...(at === 2 && { rule_id: rule }) });
  const submit = async (at: number, annotations: object[], created: string, decided?: string) => {
    const { uid } = (await call<{ uid: string }>("POST", `/tasks/${tasks[at]?.uid}/results/`, { annotations })).body;
    const accepted = decided !== undefined && { status: "accepted", decidedAt: new Date(decided) };
    await prisma.result.update({ where: { uid }, data: { createdAt: new Date(created), ...accepted } });
  };
  await submit(0, [box, box], "2026-02-02T23:59:00Z", "2026-02-04T08:00:00Z");
  await submit(1, [box], "2026-02-03T00:01:00Z");
  await submit(3, [box], "2026-02-03T12:00:00Z", "2026-02-04T09:00:00Z");
  for (const [at, seconds] of [
    [0, 10],
    [1, 20],
    [3, 100],
    [4, 900],
  ] as const)
    await prisma.task.update({ where: { uid: tasks[at]?.uid ?? "" }, data: { seconds } });
});

test("tells by day what was submitted and accepted, how long a task took, and what the items came from", async () => {
  const stats = await createTrpcCaller(org).projects.stats({ uid: project });
  expect(stats).toMatchObject({
    days: [
      { day: "2026-02-02", submitted: 1, accepted: 0 },
      { day: "2026-02-03", submitted: 2, accepted: 0 },
      { day: "2026-02-04", submitted: 0, accepted: 2 },
    ],
    pace: { p50: 20, p90: 84, timed: 3 },
    labels: 4,
    origins: [
      { kind: "device", name: "Mule 3", items: 3, accepted: 1, labels: 3 },
      { kind: "rule", uid: rule, name: null, items: 1, accepted: 0, labels: 0 },
    ],
  });
});

test("is null where it takes too long, and not found for who does not see the project", async () => {
  expect(await readProjectStats(org.ctx, project, 0)).toBeNull();
  const other = createTrpcCaller(await makeOrganization());
  await expect(other.projects.stats({ uid: project })).rejects.toMatchObject({ code: "NOT_FOUND" });
  const member = createTrpcCaller(org, await addMember(org));
  await prisma.dataset.updateMany({
    where: { projects: { some: { projectId: project } } },
    data: { access: "assigned" },
  });
  expect(await member.projects.stats({ uid: project })).toMatchObject({ days: [], labels: 0, origins: [] });
});
