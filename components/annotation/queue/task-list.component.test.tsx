import { beforeEach, expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import type { QueuedTask } from "@/components/annotation/queue/query";
import { ProjectTasks, TaskList } from "@/components/annotation/queue/task-list";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs, refuse } from "@/components/testing/network";
import { sample } from "@/components/testing/sample";
import type { Outputs } from "@/components/trpc/client";
import { getQueueTab, queueTabNames } from "@/domain/tasks/queue-schema";
import { TaskForEditor } from "@/server/features/tasks/labelling-resource";

const uid = "018f0000-0000-7000-8000-000000000001";
const nothing = { results: [], next: null, previous: null };

const make = (name: string, change: Partial<QueuedTask> = {}): QueuedTask => ({
  uid: `018f0000-0000-7000-8000-00000000${name.slice(0, 4)}`,
  name,
  type: "image-annotation",
  status: "pending",
  state: "todo",
  priority: 0,
  round: 1,
  project: uid,
  project_name: "Yard crossings",
  project_status: "active",
  work_batch: uid,
  batch: 3,
  assignee: null,
  assignee_uid: null,
  leased_by: null,
  decision: null,
  decided_by: null,
  reason: null,
  skip_reason: null,
  skip_text: "",
  since: "2026-02-02T09:00:00.000Z",
  item: uid,
  item_status: "ready_for_annotation",
  media_type: "image/png",
  tint: "#3a6ea5",
  has_thumbnail: false,
  width: 640,
  height: 480,
  dataset_owner: "acme",
  dataset_slug: "yard",
  ...change,
});

const rows = [
  make("0001.png", {
    status: "in_progress",
    state: "rework",
    round: 2,
    decision: "rejected",
    decided_by: "ben",
    reason: "box too large",
    assignee: "ada",
  }),
  make("0002.png", { status: "in_progress", state: "in_work", assignee: "ada", leased_by: "ada" }),
  make("0003.png"),
];

const project: Outputs["projects"]["overviewOf"] = {
  uid,
  name: "Yard crossings",
  task_type: "image-annotation",
  status: "active",
  access: "organization",
  visibility: "private",
  short_description: "",
  quality_target: null,
  annotators_open: true,
  review: "all",
  review_share: 100,
  task_count: 3,
  completed_count: 0,
  accepted_count: 0,
  rejected_count: 0,
  skipped_count: 0,
  member_count: 0,
  created_by_uid: null,
  created_by: "ana",
  created_at: "2026-02-02T09:00:00.000Z",
  updated_at: "2026-02-03T09:00:00.000Z",
  demo: false,
  labels: [],
  guide: "",
  datasets: [],
  slices: [],
  steps: [],
};

beforeEach(() => {
  answer("tasks.queue", { ...nothing, results: rows });
  answer("tasks.unassigned", null);
  answer("projects.overview", nothing);
  answer("projects.batches", nothing);
  answer("members.list", nothing);
  answer("views.list", { results: [] });
});

test("a row says why a task came back, who has it open, and where it is from", async () => {
  const shown = await show(<TaskList />, "/tasks");
  const back = shown.getByRole("row", { name: /0001/ });
  await expect.element(back).toHaveTextContent("back from ben: box too large");
  await expect.element(back).toHaveTextContent("Rework");
  await expect.element(shown.getByRole("row", { name: /0002/ })).toHaveTextContent("open by ada");
  await expect.element(shown.getByRole("row", { name: /0003/ })).toHaveTextContent("Yard crossings");
  expect(listInputs("tasks.queue")).toMatchObject([{ tab: "mine" }]);
  await expectGoodLooks();
});

test("each tab asks for its own tasks and stays in the address, and filters only by what differs in it", async () => {
  const shown = await show(<TaskList />, "/tasks");
  for (const name of queueTabNames) {
    await shown.getByRole("tab", { name: getQueueTab(name).label, exact: true }).click();
    await expect.element(shown.getByRole("row", { name: /0003/ })).toBeVisible();
    expect(listInputs("tasks.queue").at(-1)).toMatchObject({ tab: name });
  }
  expect(location.search).toBe("?list=all");
  await shown.getByRole("tab", { name: "Rework" }).click();
  await shown.getByRole("combobox", { name: "Filter tasks" }).fill("yard");
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => listInputs("tasks.queue").at(-1)).toMatchObject({ tab: "rework", q: "yard" });
});

test("Enter gets the next task and leads to its page with the lease", async () => {
  const found = sample(TaskForEditor, {});
  answer("tasks.next", found);
  const shown = await show(<TaskList />, "/tasks?project=" + uid);
  await expect.element(shown.getByRole("row", { name: /0001/ })).toBeVisible();
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => location.pathname).toBe(`/tasks/${found.task.uid}`);
  expect(listInputs("tasks.next")).toEqual([{ project: uid }]);
  // The list that is still shown reads the address without the project.
  await expect.poll(() => listInputs("tasks.queue").length).toBe(2);
});

test("with a row at hand, Enter opens its task", async () => {
  const shown = await show(<TaskList />, "/tasks");
  await expect.element(shown.getByRole("row", { name: /0001/ })).toBeVisible();
  await userEvent.keyboard("jj{Enter}");
  await expect.poll(() => location.pathname).toBe(`/tasks/${rows[1]?.uid}`);
  expect(listInputs("tasks.next")).toEqual([]);
});

test("says that nothing is left, or why nothing was given out", async () => {
  answer("tasks.next", null);
  const shown = await show(<TaskList />, "/tasks");
  await shown.getByRole("button", { name: "Start labelling" }).click();
  await expect.element(shown.getByText("Nothing waits for you")).toBeVisible();
  refuse("tasks.next", { status: 503, detail: "The database is busy." });
  await shown.getByRole("button", { name: "Start labelling" }).click();
  await expect.element(shown.getByText("No task was given out")).toBeVisible();
});

test("whoever has nothing to do reads where tasks wait", async () => {
  answer("tasks.queue", nothing);
  answer("tasks.unassigned", { project: uid, project_name: "Yard crossings", count: 312 });
  const shown = await show(<TaskList />, "/tasks");
  await expect.element(shown.getByRole("heading", { name: "Nothing for you" })).toBeVisible();
  await expect.element(shown.getByText("312 are unassigned in Yard crossings.")).toBeVisible();
  await expectGoodLooks();
});

test("Take asks for the first twenty that wait and assigns them to the person", async () => {
  answer("tasks.queue", ({ tab }) => (tab === "unassigned" ? { ...nothing, results: rows } : nothing));
  answer("tasks.unassigned", { project: uid, project_name: "Yard crossings", count: 312 });
  answer("tasks.assignMany", { changed: 3, failed: [] });
  const shown = await show(<TaskList />, "/tasks");
  await shown.getByRole("button", { name: "Take 20" }).click();
  await expect.element(shown.getByText("3 tasks assigned to you")).toBeVisible();
  expect(listInputs("tasks.queue")).toContainEqual({ tab: "unassigned", project: uid, limit: 20 });
  expect(listInputs("tasks.assignMany")).toEqual([{ uids: rows.map((row) => row.uid), assignee: "ada" }]);
});

test("ticked tasks are assigned, given a priority and released; what is refused says why", async () => {
  const shown = await show(<TaskList />, "/tasks");
  // By the keyboard: notices lie over the bar.
  const press = async (name: string) => {
    await expect.element(shown.getByRole("button", { name, exact: true })).toBeVisible();
    shown.getByRole("button", { name, exact: true }).element().focus();
    await userEvent.keyboard("{Enter}");
  };
  const tick = async () => {
    await shown.getByRole("checkbox", { name: "Select 0003.png" }).click();
    await expect.element(shown.getByRole("button", { name: "Release" })).toBeVisible();
  };
  await tick();
  answer("tasks.releaseMany", { changed: 0, failed: [{ uid, error: "Nobody works on it." }] });
  await press("Release");
  await expect.element(shown.getByText("1 task not released")).toBeVisible();
  await expect.element(shown.getByText("Nobody works on it.")).toBeVisible();
  await tick();
  answer("tasks.prioritise", { changed: 1, failed: [] });
  await press("Priority");
  await shown.getByRole("menuitem", { name: /First of all/ }).click();
  await expect.element(shown.getByText("1 task given priority 100")).toBeVisible();
  await tick();
  answer("tasks.assignMany", { changed: 1, failed: [] });
  await press("Assign");
  await shown.getByRole("menuitem", { name: "Nobody" }).click();
  await expect.element(shown.getByText("1 task given back")).toBeVisible();
  const uids = [rows[2]?.uid];
  expect(listInputs("tasks.releaseMany")).toEqual([{ uids }]);
  expect(listInputs("tasks.prioritise")).toEqual([{ uids, priority: 100 }]);
  expect(listInputs("tasks.assignMany")).toEqual([{ uids, assignee: null }]);
});

const skipped = make("0004.png", {
  status: "completed",
  state: "skipped",
  skip_reason: "damaged",
  skip_text: "the lens is covered",
});

test("a skipped task says why; an admin has it labelled after all, and Undo skips it for the same reason", async () => {
  answer("tasks.queue", { ...nothing, results: [skipped] });
  const shown = await show(<TaskList />, "/tasks?list=skipped");
  const row = shown.getByRole("row", { name: /0004/ });
  await expect.element(row).toHaveTextContent("Skipped as damaged: the lens is covered");
  expect(listInputs("tasks.queue")).toMatchObject([{ tab: "skipped" }]);
  await shown.getByRole("checkbox", { name: "Select 0004.png" }).click();
  const unskip = shown.getByRole("button", { name: "Unskip" });
  await expect.element(unskip).toBeVisible();
  answer("tasks.unskipMany", { changed: 1, failed: [] });
  unskip.element().focus();
  await userEvent.keyboard("{Enter}");
  await expect.element(shown.getByText("1 task to be labelled")).toBeVisible();
  expect(listInputs("tasks.unskipMany")).toEqual([{ uids: [skipped.uid] }]);
  answer("tasks.skipMany", { changed: 1, failed: [] });
  await shown.getByRole("button", { name: "Undo" }).click();
  await expect.element(shown.getByText("1 task skipped again")).toBeVisible();
  expect(listInputs("tasks.skipMany")).toEqual([
    { tasks: [{ uid: skipped.uid, reason: "damaged", text: "the lens is covered" }] },
  ]);
  await expectGoodLooks();
});

test("of many skipped tasks, Undo skips those again that one request had labelled, and what was left is said", async () => {
  const other = make("0005.png", { status: "completed", state: "skipped", skip_reason: "unclear", skip_text: "" });
  answer("tasks.queue", { ...nothing, results: [skipped, other] });
  const shown = await show(<TaskList />, "/tasks");
  await shown.getByRole("tab", { name: "Skipped" }).click();
  await expect.poll(() => listInputs("tasks.queue").at(-1)).toMatchObject({ tab: "skipped" });
  for (const { name } of [skipped, other]) await shown.getByRole("checkbox", { name: `Select ${name}` }).click();
  answer("tasks.unskipMany", { changed: 1, failed: [{ uid: skipped.uid, error: "Its project is canceled." }] });
  const unskip = shown.getByRole("button", { name: "Unskip" });
  await expect.element(unskip).toBeVisible();
  unskip.element().focus();
  await userEvent.keyboard("{Enter}");
  await expect.element(shown.getByText("1 task not to be labelled")).toBeVisible();
  await expect.element(shown.getByText("Its project is canceled.")).toBeVisible();
  expect(listInputs("tasks.unskipMany")).toEqual([{ uids: [skipped.uid, other.uid] }]);
  answer("tasks.skipMany", { changed: 1, failed: [] });
  await shown.getByRole("button", { name: "Undo" }).click();
  await expect
    .poll(() => listInputs("tasks.skipMany"))
    .toEqual([{ tasks: [{ uid: other.uid, reason: "unclear", text: "" }] }]);
});

test("a member reads why they cannot have a skipped task labelled", async () => {
  answer("tasks.queue", { ...nothing, results: [skipped] });
  const shown = await show(<TaskList />, "/tasks", { role: "member" });
  await shown.getByRole("tab", { name: "Skipped" }).click();
  await expect.poll(() => listInputs("tasks.queue").at(-1)).toMatchObject({ tab: "skipped" });
  await shown.getByRole("checkbox", { name: "Select 0004.png" }).click();
  await expect.element(shown.getByRole("button", { name: "Unskip" })).toHaveAttribute("aria-disabled", "true");
  expect(listInputs("tasks.unskipMany")).toEqual([]);
});

test("a member takes tasks, and reads why they cannot assign, order or release them", async () => {
  const shown = await show(<TaskList />, "/tasks", { role: "member" });
  await shown.getByRole("checkbox", { name: "Select 0003.png" }).click();
  await expect
    .element(shown.getByRole("button", { name: "Assign to me" }))
    .not.toHaveAttribute("aria-disabled", "true");
  for (const name of ["Assign", "Priority", "Release"])
    await expect.element(shown.getByRole("button", { name, exact: true })).toHaveAttribute("aria-disabled", "true");
});

test("an empty list of a project says what it waits for", async () => {
  answer("tasks.queue", nothing);
  const at = "2026-02-02T10:00:00.000Z";
  answer("projects.overviewOf", { ...project, status: "paused", steps: [{ status: "paused", by: "Ana", at }] });
  const shown = await show(<TaskList />, `/tasks?project=${uid}`);
  await expect.element(shown.getByRole("heading", { name: "Paused by Ana" })).toBeVisible();
  await expect
    .element(shown.getByRole("link", { name: "Open Yard crossings" }))
    .toHaveAttribute("href", `/projects/${uid}`);
  await expectGoodLooks();
});

test("the tasks of a project are asked for by it alone, without its name in each row", async () => {
  const shown = await show(<ProjectTasks project={uid} whyNone="No tasks yet." />, `/projects/${uid}?tab=tasks`);
  await expect.element(shown.getByRole("row", { name: /0003/ })).toBeVisible();
  await expect.element(shown.getByRole("columnheader", { name: "Project" })).not.toBeInTheDocument();
  expect(listInputs("tasks.queue")).toMatchObject([{ tab: "all", project: uid }]);
  await expectGoodLooks();
});

test("tasks that could not be loaded say so and are asked for again", async () => {
  refuse("tasks.queue", { status: 503, detail: "The database is busy." });
  const shown = await show(<TaskList />, "/tasks");
  await expect.element(shown.getByRole("alert")).toBeVisible();
  answer("tasks.queue", { ...nothing, results: rows });
  await shown.getByRole("tabpanel").getByRole("button", { name: "Retry" }).click();
  await expect.element(shown.getByRole("row", { name: /0001/ })).toBeVisible();
});

test("who may only read sees the tasks and why they cannot start", async () => {
  const shown = await show(<TaskList />, "/tasks", { role: "member", readOnly: true });
  await expect.element(shown.getByRole("row", { name: /0001/ })).toBeVisible();
  await expect.element(shown.getByRole("button", { name: "Start labelling" })).toHaveAttribute("aria-disabled", "true");
});
