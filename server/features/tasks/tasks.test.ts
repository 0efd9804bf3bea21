import { beforeAll, describe, expect, test } from "vitest";
import type { DatasetResource, ItemResource } from "@/server/features/datasets/resource";
import type { ProjectResource } from "@/server/features/projects/resource";
import type { ResultResource, TaskResource, WorkBatchResource } from "@/server/features/tasks/resource";
import { prisma } from "@/server/platform/db";
import type { Page } from "@/server/platform/pagination";
import { uuidv7 } from "@/server/platform/uid";
import { makeDataset, picture, pictures, readItems, uploadTo } from "@/server/testing/datasets";
import {
  addMember,
  makeOrganization,
  unique,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { requestsWith } from "@/server/testing/requests";

let org: TestOrganization;
/** Decides results; nobody decides their own. */
let reviewer: TestMember;
beforeAll(async () => {
  org = await makeOrganization();
  reviewer = await addMember(org, "admin");
});

const call = requestsWith(() => org.key);

const labels = [
  { name: "car", color: "#ff0000" },
  { name: "person", color: "#00ff00" },
];
const box = (label = "car") => ({ label, type: "bbox", coordinates: { x: 1, y: 2, width: 3, height: 4 } });
const create = async (datasets: readonly DatasetResource[], body: object = {}) =>
  call<ProjectResource>("POST", "/projects/", {
    name: unique("project"),
    task_type: "image-annotation",
    datasets: datasets.map(({ uid }) => uid),
    labels,
    ...body,
  });
const decide = (uid: string | undefined, decision: string, body: object = {}) =>
  call<ResultResource>("POST", `/results/${uid}/${decision}/`, body, reviewer.key);
const step = (uid: string, name: string) => call<ProjectResource>("POST", `/projects/${uid}/${name}/`);
const listTasks = async (project: ProjectResource) =>
  (await call<Page<TaskResource>>("GET", `/tasks/?project=${project.uid}&limit=1000`)).body.results;
const getProject = async (uid: string) => (await call<ProjectResource>("GET", `/projects/${org.slug}/${uid}/`)).body;
const getItem = async (dataset: DatasetResource, uid: string) =>
  (await call<ItemResource>("GET", `/datasets/${org.slug}/${dataset.slug}/items/${uid}/`)).body;

async function approved(count: number, body: object = {}) {
  const dataset = await pictures(org, count);
  const made = await create([dataset], body);
  await step(made.body.uid, "approve");
  return { dataset, project: made.body, tasks: await listTasks(made.body) };
}

describe("a project", () => {
  test("waits for approval, which creates a task for each item in batches of a hundred", async () => {
    const dataset = await pictures(org, 101);
    const made = await create([dataset], { short_description: "yard" });
    expect([made.status, made.body]).toMatchObject([
      201,
      {
        status: "pending-approval",
        is_active: false,
        is_imported: false,
        owner_name: org.slug,
        short_description: "yard",
        labels,
        datasets: [dataset.uid],
        task_count: 0,
      },
    ]);
    expect(await listTasks(made.body)).toEqual([]);
    const active = await step(made.body.uid, "approve");
    expect([active.status, active.body.status, active.body.is_active, active.body.task_count]).toEqual([
      200,
      "active",
      true,
      101,
    ]);
    const tasks = await listTasks(made.body);
    expect([tasks.length, new Set(tasks.map(({ dataset_item }) => dataset_item)).size]).toEqual([101, 101]);
    expect(tasks[0]).toMatchObject({
      type: "image-annotation",
      status: "pending",
      assignee: null,
      project: made.body.uid,
    });
    const batches = (await call<Page<WorkBatchResource>>("GET", `/work-batches/?project=${made.body.uid}`)).body
      .results;
    expect(batches.map(({ name, task_count, status, progress }) => [name, task_count, status, progress])).toEqual([
      ["Batch 2", 1, "pending", 0],
      ["Batch 1", 100, "pending", 0],
    ]);
    expect((await call<WorkBatchResource>("GET", `/work-batches/${batches[0]?.uid}/`)).body).toEqual(batches[0]);
    expect((await getItem(dataset, tasks[0]?.dataset_item ?? "")).status).toBe("ready_for_annotation");
    // An item that is added to the dataset later also gets a task.
    await uploadTo(org, dataset, { "later.png": await picture() });
    await readItems();
    expect([(await listTasks(made.body)).length, (await getProject(made.body.uid)).task_count]).toEqual([102, 102]);
  });

  test.each([
    ["pending-approval", [], { approve: "active", cancel: "canceled" }],
    ["active", ["approve"], { pause: "paused", cancel: "canceled" }],
    ["paused", ["approve", "pause"], { resume: "active", cancel: "canceled" }],
    ["canceled", ["cancel"], { archive: "archived" }],
    ["archived", ["cancel", "archive"], {}],
  ] as const)("that is %s allows only the steps of the lifecycle", async (status, steps, allowed) => {
    const dataset = await pictures(org, 1);
    for (const name of ["approve", "pause", "resume", "cancel", "archive"]) {
      const { body } = await create([dataset]);
      for (const earlier of steps) await step(body.uid, earlier);
      expect((await getProject(body.uid)).status).toBe(status);
      const after = await step(body.uid, name);
      const wanted = (allowed as Record<string, string>)[name];
      if (wanted) expect([after.status, after.body.status]).toEqual([200, wanted]);
      else
        expect([after.status, Object.keys(after.body), (await getProject(body.uid)).status]).toEqual([
          400,
          ["status"],
          status,
        ]);
    }
  });

  test("releases the items that waited for it only when it is canceled", async () => {
    const { dataset, project, tasks } = await approved(1);
    await step(project.uid, "cancel");
    expect((await getItem(dataset, tasks[0]?.dataset_item ?? "")).status).toBe("unattempted");
  });

  test("is cloned, changed, listed and found by name", async () => {
    const dataset = await pictures(org, 1);
    const { body } = await create([dataset], { name: unique("Harbour"), quality_target: { threshold: 0.9 } });
    const clone = await call<ProjectResource>("POST", "/projects/create-from-existing/", { project: body.uid });
    expect([clone.status, clone.body]).toMatchObject([
      201,
      {
        name: `${body.name} (copy)`,
        status: "pending-approval",
        labels,
        datasets: [dataset.uid],
        quality_target: { metric: "acceptance_rate", threshold: 0.9 },
      },
    ]);
    const changed = await call<ProjectResource>("PATCH", `/projects/${org.slug}/${body.uid}/`, {
      short_description: "new",
      quality_target: null,
      visibility: "public",
    });
    const { short_description, quality_target, name, visibility } = changed.body;
    expect([changed.status, short_description, quality_target, name, visibility]).toEqual([
      200,
      "new",
      null,
      body.name,
      "public",
    ]);
    const found = await call<Page<ProjectResource>>(
      "GET",
      `/projects/${org.slug}/?name=${body.name.toLowerCase()}&ordering=name`,
    );
    expect(found.body.results.map(({ uid }) => uid)).toEqual([body.uid, clone.body.uid]);
    expect((await call("GET", `/projects/${unique()}/`)).status).toBe(404);
    const unchanged = await call<DatasetResource>("GET", `/datasets/${org.slug}/${dataset.slug}/`);
    expect(unchanged.body.project_count).toBe(2);
    const refused = await call("DELETE", `/datasets/${org.slug}/${dataset.slug}/`);
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ["non_field_errors"]]);
  });

  test.each([
    ["name", { name: "x".repeat(101) }],
    ["task_type", { task_type: "painting" }],
    ["datasets", { datasets: [] }],
    ["datasets", { datasets: [uuidv7()] }],
    ["labels", { labels: [{ name: "a" }, { name: "a" }] }],
    ["labels", { labels: [{ name: "a", color: "red" }] }],
    ["quality_target", { quality_target: { threshold: 2 } }],
  ])("is refused for its %s", async (field, body) => {
    const dataset = await makeDataset(org);
    const { status, body: errors } = await create([dataset], body);
    expect([status, Object.keys(errors)]).toEqual([400, [field]]);
  });

  test("refuses datasets and projects of other organizations", async () => {
    const other = await makeOrganization();
    const otherDataset = await makeDataset(other);
    expect((await create([otherDataset])).body.datasets).toEqual([
      `Invalid pk "${otherDataset.uid}" - object does not exist.`,
    ]);
    const { body } = await create([await makeDataset(org)]);
    const clone = await call("POST", "/projects/create-from-existing/", { project: body.uid }, other.key);
    expect([clone.status, Object.keys(clone.body)]).toEqual([400, ["project"]]);
    expect((await call("POST", `/projects/${body.uid}/approve/`, undefined, other.key)).status).toBe(404);
  });
});

describe("a task", () => {
  const subscribe = async () =>
    String(
      (
        await call("POST", "/webhooks/", {
          target_url: `https://example.com/${unique()}`,
          events: ["task.completed", "result.submitted", "result.accepted", "result.rejected", "quality.alert"],
        })
      ).body.uid,
    );
  const listPublished = async (subscriptionId: string) =>
    (await prisma.webhookDelivery.findMany({ where: { subscriptionId }, orderBy: { uid: "asc" } })).map(
      ({ payload }) => payload as Record<string, unknown>,
    );

  test("is opened, submitted, rejected, resubmitted and accepted, with counts and platform events for each step", async () => {
    const hook = await subscribe();
    const { dataset, project, tasks } = await approved(2, { quality_target: { threshold: 0.6 } });
    const [task, second] = [tasks[0]!, tasks[1]!];
    const opened = await call<TaskResource>("POST", `/tasks/${task.uid}/open/`);
    expect([opened.body.status, opened.body.assignee]).toEqual(["in_progress", org.owner.username]);
    expect((await getItem(dataset, task.dataset_item)).status).toBe("in_progress");
    const submitted = await call<ResultResource>("POST", `/tasks/${task.uid}/results/`, {
      annotations: [box(), box("person")],
    });
    expect([submitted.status, submitted.body]).toMatchObject([
      201,
      {
        status: "submitted",
        task: task.uid,
        submitted_by: org.owner.username,
        annotations: [{ label: "car", attributes: {} }, { label: "person" }],
      },
    ]);
    expect((await call<TaskResource>("GET", `/tasks/${task.uid}/`)).body.status).toBe("completed");
    expect(await getItem(dataset, task.dataset_item)).toMatchObject({ status: "completed", annotations_count: 2 });
    expect((await call("POST", `/tasks/${task.uid}/results/`, { annotations: [] })).body.status).toEqual([
      "This task is completed.",
    ]);
    const [batch] = (await call<Page<WorkBatchResource>>("GET", `/work-batches/?project=${project.uid}`)).body.results;
    expect(batch).toMatchObject({ status: "in_progress", started_count: 1, completed_count: 1, progress: 0.5 });

    const rejected = await decide(submitted.body.uid, "reject", {
      reason: "one is missing",
    });
    expect([rejected.body.status, rejected.body.reason, rejected.body.decided_by]).toEqual([
      "rejected",
      "one is missing",
      reviewer.username,
    ]);
    expect(await getItem(dataset, task.dataset_item)).toMatchObject({
      status: "rework_required",
      annotations_count: 0,
    });
    expect((await decide(submitted.body.uid, "accept")).body.status).toEqual(["This result is rejected already."]);
    const again = await call<ResultResource>("POST", `/tasks/${task.uid}/results/`, { annotations: [box()] });
    await decide(again.body.uid, "accept");
    expect(await getItem(dataset, task.dataset_item)).toMatchObject({
      status: "customer_approved",
      annotations_count: 1,
    });
    expect(
      (await call<Page<ResultResource>>("GET", `/tasks/${task.uid}/results/`)).body.results.map(({ status }) => status),
    ).toEqual(["accepted", "rejected"]);

    const last = await call<ResultResource>("POST", `/tasks/${second.uid}/results/`, { annotations: [] });
    expect(await getProject(project.uid)).toMatchObject({
      status: "completed",
      is_active: false,
      completed_task_count: 2,
      accepted_count: 1,
      rejected_count: 1,
    });
    await decide(last.body.uid, "reject");
    expect(await getProject(project.uid)).toMatchObject({ status: "active", completed_task_count: 1 });
    expect((await listPublished(hook)).map(({ event }) => event)).toEqual([
      "result.submitted",
      "task.completed",
      "result.rejected",
      "quality.alert",
      "result.submitted",
      "task.completed",
      "result.accepted",
      "result.submitted",
      "task.completed",
      "result.rejected",
    ]);
    const [first, done] = await listPublished(hook);
    expect(first).toEqual({
      event: "result.submitted",
      result_uid: submitted.body.uid,
      task_uid: task.uid,
      task_name: task.name,
      task_type: task.type,
      project_uid: project.uid,
    });
    expect(done).toEqual({
      event: "task.completed",
      task_uid: task.uid,
      task_name: task.name,
      task_type: task.type,
      task_status: "completed",
      project_uid: project.uid,
    });
    expect((await listPublished(hook))[3]).toEqual({
      event: "quality.alert",
      metric: "acceptance_rate",
      threshold: 0.6,
      current_value: 0,
      project_uid: project.uid,
    });
    await call("DELETE", `/webhooks/${hook}/`);
  });

  test("cannot be opened while its project is paused, and is assigned to members only", async () => {
    const { project, tasks } = await approved(1);
    await step(project.uid, "pause");
    expect((await call("POST", `/tasks/${tasks[0]?.uid}/open/`)).body.status).toEqual(["Its project is paused."]);
    const member = await addMember(org);
    const path = `/tasks/${tasks[0]?.uid}/`;
    expect((await call<TaskResource>("PATCH", path, { assignee: member.username })).body.assignee).toBe(
      member.username,
    );
    expect((await call<TaskResource>("PATCH", path, { assignee: null })).body.assignee).toBeNull();
    const outsider = await makeOrganization();
    expect(Object.keys((await call("PATCH", path, { assignee: outsider.owner.uid })).body)).toEqual(["assignee"]);
    expect(
      (await call<Page<TaskResource>>("GET", `/tasks/?project=${project.uid}&status=completed`)).body.results,
    ).toEqual([]);
  });

  test("that is the last one submitted while its project is paused completes the project on resume", async () => {
    const { project, tasks } = await approved(1);
    await call("POST", `/tasks/${tasks[0]?.uid}/open/`);
    await step(project.uid, "pause");
    expect((await call("POST", `/tasks/${tasks[0]?.uid}/results/`, { annotations: [] })).status).toBe(201);
    expect((await getProject(project.uid)).status).toBe("paused");
    expect((await step(project.uid, "resume")).body.status).toBe("completed");
  });

  test("alerts at the crossing of its project's target only, not when a target is set above the rate", async () => {
    const hook = await subscribe();
    const { project, tasks } = await approved(5);
    const decideNext = async (verb: "accept" | "reject") => {
      const task = tasks.shift();
      const { body } = await call<ResultResource>("POST", `/tasks/${task?.uid}/results/`, { annotations: [] });
      await decide(body.uid, verb);
      const alerts = (await listPublished(hook)).filter(({ event }) => event === "quality.alert");
      return alerts.map(({ current_value: value }) => value);
    };
    await decideNext("reject");
    await call("PATCH", `/projects/${org.slug}/${project.uid}/`, { quality_target: { threshold: 0.5 } });
    expect(await decideNext("reject")).toEqual([]);
    await decideNext("accept");
    expect(await decideNext("accept")).toEqual([]);
    expect(await decideNext("reject")).toEqual([0.4]);
    await call("DELETE", `/webhooks/${hook}/`);
  });

  test("accepts one of two concurrent results", async () => {
    const { project, tasks } = await approved(1);
    const both = await Promise.all(
      [1, 2].map(() => call("POST", `/tasks/${tasks[0]?.uid}/results/`, { annotations: [box()] })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect((await getProject(project.uid)).completed_task_count).toBe(1);
    const [result] = (await call<Page<ResultResource>>("GET", `/tasks/${tasks[0]?.uid}/results/`)).body.results;
    const decisions = await Promise.all(["accept", "reject"].map((verb) => decide(result?.uid, verb)));
    expect(decisions.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  test.each([
    { label: "car", type: "bbox", coordinates: { x: 1, y: 2, width: 3 } },
    { label: "car", type: "bbox", coordinates: { x: 1, y: 2, width: -3, height: 1 } },
    {
      label: "car",
      type: "polygon",
      coordinates: {
        points: [
          [0, 0],
          [1, 1],
        ],
      },
    },
    { label: "car", type: "cuboid", coordinates: { center: [0, 0], size: [1, 1, 1], rotation: [0, 0, 0, 1] } },
    { label: "car", type: "blob", coordinates: {} },
    { label: "dog", type: "classification", coordinates: {} },
    { label: "", type: "classification", coordinates: {} },
  ])("refuses an annotation like %j", async (annotation) => {
    const { tasks } = await approved(1);
    const { status, body } = await call("POST", `/tasks/${tasks[0]?.uid}/results/`, {
      annotations: [box(), annotation],
    });
    expect([status, Object.keys(body), body.annotations?.[0]?.startsWith("1.")]).toEqual([400, ["annotations"], true]);
  });

  test.each([
    {
      label: "car",
      type: "polygon",
      coordinates: {
        points: [
          [0, 0],
          [1, 1],
          [2, 0.5],
        ],
      },
    },
    {
      label: "car",
      type: "polyline",
      coordinates: {
        points: [
          [0, 0],
          [1, 1],
        ],
      },
    },
    { label: "car", type: "keypoints", coordinates: { points: [[0, 0]], frame: 7 } },
    {
      label: "car",
      type: "cuboid",
      coordinates: { center: [0, 0, 0], size: [1, 1, 1], rotation: [0, 0, 0, 1] },
      attributes: { seen: true },
    },
    { label: "person", type: "classification", coordinates: {} },
  ])("accepts an annotation like %j", async (annotation) => {
    const { tasks } = await approved(1);
    const { status, body } = await call<ResultResource>("POST", `/tasks/${tasks[0]?.uid}/results/`, {
      annotations: [annotation],
    });
    expect([status, body.annotations]).toEqual([201, [{ attributes: {}, ...annotation }]]);
  });
});
