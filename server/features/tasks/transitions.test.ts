import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { statusOfState, taskStates, transitions, type TaskState, type TaskVerb } from "@/domain/tasks/transitions";
import type { ItemResource } from "@/server/features/datasets/resource";
import type { ProjectResource } from "@/server/features/projects/resource";
import type { OpenedTask } from "@/server/features/tasks/labelling-resource";
import type { ResultResource, TaskResource, WorkBatchResource } from "@/server/features/tasks/resource";
import { sha256 } from "@/server/platform/crypto";
import { prisma } from "@/server/platform/db";
import type { Page } from "@/server/platform/pagination";
import { openChanges, startListening } from "@/server/testing/changes";
import { pictures } from "@/server/testing/datasets";
import {
  addMember,
  makeOrganization,
  unique,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { requestsWith } from "@/server/testing/requests";

let org: TestOrganization;
let reviewer: TestMember;
beforeAll(async () => {
  org = await makeOrganization();
  reviewer = await addMember(org, "admin");
});
const call = requestsWith(() => org.key);

async function makeTask() {
  const dataset = await pictures(org, 1);
  const input = { name: unique("p"), task_type: "image-annotation", datasets: [dataset.uid] };
  const { uid } = (await call<ProjectResource>("POST", "/projects/", input)).body;
  await call("POST", `/projects/${uid}/approve/`);
  const [task] = (await call<Page<TaskResource>>("GET", `/tasks/?project=${uid}`)).body.results;
  if (!task) throw new Error("the project has no task");
  const read = async () => {
    const [now, project, batch, item] = await Promise.all([
      call<TaskResource>("GET", `/tasks/${task.uid}/`),
      call<ProjectResource>("GET", `/projects/${org.slug}/${uid}/`),
      call<WorkBatchResource>("GET", `/work-batches/${task.work_batch}/`),
      call<ItemResource>("GET", `/datasets/${org.slug}/${dataset.slug}/items/${task.dataset_item}/`),
    ]);
    // Its links are signed anew each second.
    const bare = { ...item.body, data_url: "", thumbnail_url: "" };
    return { task: now.body, project: project.body, batch: batch.body, item: bare };
  };
  const apply = async (verb: TaskVerb): Promise<number> => {
    if (verb === "open") return (await call("POST", `/tasks/${task.uid}/open/`)).status;
    if (verb === "release") {
      const { state } = (await read()).task;
      const isHeld = state === "in_work" || state === "rework";
      const opened = isHeld ? await call<OpenedTask>("POST", `/tasks/${task.uid}/open/`, { lease: true }) : undefined;
      const lease = opened?.body.lease?.token ?? "0".repeat(64);
      return (await call("POST", `/tasks/${task.uid}/release/`, { lease })).status;
    }
    if (verb === "renew") {
      const { state } = (await read()).task;
      const held = statusOfState[state] === "completed" ? null : await holdOver(task.uid, state);
      const change = { lease: held ?? "0".repeat(64), client: randomUUID(), n: 0, base: 0, ops: [] };
      return (await call("PATCH", `/tasks/${task.uid}/draft/`, change)).status;
    }
    if (verb === "skip") return (await call("POST", `/tasks/${task.uid}/skip/`, { reason: "damaged" })).status;
    if (verb === "unskip") return (await call("POST", `/tasks/${task.uid}/unskip/`)).status;
    if (verb === "submit") return (await call("POST", `/tasks/${task.uid}/results/`, { annotations: [] })).status;
    const results = (await call<Page<ResultResource>>("GET", `/tasks/${task.uid}/results/`)).body.results;
    const body = verb === "revise" ? { annotations: [], key: randomUUID() } : {};
    return (await call("POST", `/results/${results[0]?.uid}/${verb}/`, body, reviewer.key)).status;
  };
  return { project: uid, read, apply };
}

/** The token of a lease of a task that stays in its state, and is over where that waits. */
async function holdOver(uid: string, state: TaskState): Promise<string | null> {
  const token = randomUUID().replaceAll("-", "").repeat(2);
  const isWaiting = state === "todo";
  const over = { leaseUser: isWaiting ? null : org.owner.uid, leaseUntil: isWaiting ? null : new Date("2099-01-01") };
  await prisma.task.update({ where: { uid }, data: { leaseHash: sha256(token), ...over } });
  return token;
}

/** What leads to each state. */
const ways: Readonly<Record<TaskState, readonly TaskVerb[]>> = {
  todo: [],
  in_work: ["open"],
  rework: ["submit", "reject"],
  submitted: ["submit"],
  accepted: ["submit", "accept"],
  skipped: ["open", "skip"],
};

async function makeTaskIn(state: TaskState) {
  const made = await makeTask();
  for (const verb of ways[state]) await made.apply(verb);
  expect((await made.read()).task).toMatchObject({ state, status: statusOfState[state] });
  return made;
}

test.each(transitions)("$verb leads from $from to $to, and everything moves once", async (transition) => {
  const { verb, from, to, batch, project, item } = transition;
  const made = await makeTaskIn(from);
  const before = await made.read();
  expect(await made.apply(verb)).toBeLessThan(300);
  const after = await made.read();
  expect(after.task).toMatchObject({ state: to, status: statusOfState[to] });
  expect([after.batch.started_count, after.batch.completed_count]).toEqual([
    before.batch.started_count + (batch?.started ?? 0),
    before.batch.completed_count + (batch?.completed ?? 0),
  ]);
  const counts = (of: ProjectResource) => [
    of.completed_task_count,
    of.accepted_count,
    of.rejected_count,
    of.superseded_count,
    of.skipped_count,
  ];
  const { completed = 0, accepted = 0, rejected = 0, superseded = 0, skipped = 0 } = project ?? {};
  const changes = [completed, accepted, rejected, superseded, skipped];
  expect(counts(after.project)).toEqual(counts(before.project).map((count, at) => count + (changes[at] ?? 0)));
  expect(after.item.status).toBe(item?.to ?? before.item.status);
});

const verbs = ["open", "renew", "release", "submit", "accept", "reject", "revise", "reopen", "skip", "unskip"] as const;
const missing = taskStates.flatMap((from) =>
  verbs
    .filter((verb) => !transitions.some((each) => each.verb === verb && each.from === from))
    .map((verb) => ({ verb, from })),
);
test.each(missing)("$verb is refused from $from and changes nothing", async ({ verb, from }) => {
  const made = await makeTaskIn(from);
  const before = await made.read();
  // A task without any result has none that could be decided, and nobody holds one that is not in work.
  const isDecision = ["accept", "reject", "revise", "reopen"].includes(verb);
  const refusal = isDecision && !ways[from].includes("submit") ? 404 : 400;
  expect(await made.apply(verb)).toBe(verb === "release" || verb === "renew" ? 409 : refusal);
  expect(await made.read()).toEqual(before);
});

test.each(transitions.filter(({ projects }) => projects))(
  "$verb from $from is refused while the project has another status",
  async ({ verb, from, projects = [] }) => {
    const made = await makeTaskIn(from);
    await call("POST", `/projects/${made.project}/pause/`);
    expect(await made.apply(verb)).toBe(projects.includes("paused") ? (verb === "submit" ? 201 : 200) : 400);
    const other = await makeTaskIn(from);
    // One that is completed cannot be canceled.
    const isOpen = (await call("POST", `/projects/${other.project}/cancel/`)).status === 200;
    if (!isOpen) expect((await call("POST", `/projects/${other.project}/archive/`)).status).toBe(200);
    const refusal = verb === "renew" ? 409 : 400;
    expect(await other.apply(verb)).toBe(projects.includes(isOpen ? "canceled" : "archived") ? 200 : refusal);
  },
);

test("open pages learn of every transition, and of who has a task", async () => {
  const stop = await startListening();
  const pages = await openChanges(org);
  const isTask = ({ data }: { data: unknown }) => z.object({ kind: z.literal("task") }).safeParse(data).success;
  try {
    const made = await makeTask();
    for (const verb of ["open", "submit", "reject", "submit", "accept"] as const) {
      const seen = pages.reported.length;
      expect(await made.apply(verb)).toBeLessThan(300);
      await pages.until((reported) => reported.slice(seen).some(isTask));
    }
    const seen = pages.reported.length;
    const { task } = await (await makeTask()).read();
    await call("PATCH", `/tasks/${task.uid}/`, { assignee: org.owner.username });
    await pages.until((reported) => reported.slice(seen).some(isTask));
  } finally {
    await pages.close();
    await stop();
  }
});
