import { beforeEach, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { Stats } from "@/components/projects/burn-up";
import { ProjectPage } from "@/components/projects/project-page";
import type { ProjectDetail } from "@/components/projects/query";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs, refuse } from "@/components/testing/network";
import { makeProject, makeProjectResource } from "@/components/testing/projects";
import { sample } from "@/components/testing/sample";
import { completeLabels } from "@/domain/projects/label-schema";
import { MemberResource } from "@/server/features/membership/resource";
import { ProjectPersonResource } from "@/server/features/projects/resource";
import { WorkBatchResource } from "@/server/features/tasks/resource";

const nothing = { results: [], next: null, previous: null };

const yard = makeProject({
  labels: completeLabels([
    { name: "robot", color: "#0891b2", types: ["bbox", "polygon"], key: "1", aliases: ["machine"] },
    { name: "cart", color: "#c2410c", retired: true },
    { name: "person", color: "#7c3aed", description: "Also behind glass" },
  ]),
});
const { uid } = yard;

const stats: Stats = {
  days: [
    { day: "2026-02-02", submitted: 90, accepted: 0 },
    { day: "2026-02-03", submitted: 30, accepted: 80 },
  ],
  pace: { p50: 40, p90: 125, timed: 118 },
  labels: 400,
  origins: [
    { kind: "device", uid: "dev_1", name: "Mule 3", items: 200, accepted: 70, labels: 300 },
    { kind: "rule", uid: "rule_1", name: null, items: 31, accepted: 22, labels: 0 },
  ],
};

beforeEach(() => {
  answer("projects.stats", stats);
  answer("projects.batches", nothing);
  answer("projects.byLabel", { labels: [], newest_issues: null });
  answer("projects.labelCounts", { "0": 90, "1": 4, "2": 0 });
});

const open = (project: ProjectDetail, tab = "", options: Parameters<typeof show>[2] = {}) => {
  answer("projects.overviewOf", project);
  return show(<ProjectPage uid={uid} />, `/projects/${uid}${tab === "" ? "" : `?tab=${tab}`}`, options);
};

test("a project of the demo fleet says so", async () => {
  const shown = await open({ ...yard, demo: true });
  await expect.element(shown.getByText("Demo", { exact: true })).toBeVisible();
  await shown.unmount();
  const own = await open(yard);
  await expect.element(own.getByText("250 tasks")).toBeVisible();
  expect(own.getByText("Demo", { exact: true }).elements()).toEqual([]);
});

test("the overview says how far it is, how good beside its target, and who led it here", async () => {
  const shown = await open(yard);
  await expect.element(shown.getByText("80 accepted, 40 to review, 130 to do")).toBeVisible();
  await expect.element(shown.getByText("below 95 %")).toBeVisible();
  const steps = shown.getByRole("list", { name: "Changes of status" });
  await expect.element(steps).toHaveTextContent(/^Activeby ben, .*Createdby ana/);
  await expect
    .element(shown.getByRole("link", { name: "Yard", exact: true }))
    .toHaveAttribute("href", "/datasets/acme/yard");
  await expectGoodLooks();
});

test("the overview shows the days, the pace and what is left of work, the labels, and where the items come from", async () => {
  const shown = await open(yard);
  await expect
    .element(shown.getByRole("img", { name: /at the end 80 accepted, 40 to review, 130 to do\.$/ }))
    .toBeVisible();
  await expect.element(shown.getByText("1h 26m for 130")).toBeVisible();
  const origins = shown.getByRole("table", { name: "Where the work comes from" }).getByRole("row");
  await expect.element(origins.nth(1)).toHaveTextContent(/^DeviceMule 32007075 %$/);
  await expect.element(origins.nth(2)).toHaveTextContent(/^Ruledeleted31220 %$/);
  await expect.element(shown.getByRole("link", { name: "Mule 3" })).toHaveAttribute("href", "/devices/dev_1");
  await expect
    .element(shown.getByRole("list", { name: "Results by label" }).getByRole("listitem").first())
    .toHaveTextContent(/^robot90$/);
  await expect.element(shown.getByRole("link", { name: "250" })).toHaveAttribute("href", `/projects/${uid}?tab=tasks`);
  await expectGoodLooks();
});

test("statistics that take too long, fail or have nothing to tell say so", async () => {
  answer("projects.stats", null);
  const shown = await open(yard);
  await expect.element(shown.getByText("There is too much to count here.")).toBeVisible();
  await shown.unmount();
  refuse("projects.stats", { status: 503, detail: "The database is busy." });
  const failed = await open(yard);
  await expect.element(failed.getByText("Statistics could not be loaded")).toBeVisible();
  answer("projects.stats", { days: [], pace: { p50: null, p90: null, timed: 0 }, labels: 0, origins: [] });
  await failed.getByRole("alert").getByRole("button", { name: "Retry" }).click();
  await expect.element(failed.getByText("Nothing was submitted yet.")).toBeVisible();
  await expect.element(failed.getByText(/^No task was timed yet/)).toBeVisible();
  await expect.element(failed.getByText(/^Its items were uploaded/)).toBeVisible();
  await expectGoodLooks();
});

test("the button is the next step; one that is refused shows the reason", async () => {
  const shown = await open({ ...yard, status: "pending-approval", task_count: 0, completed_count: 0, steps: [] });
  await expect.element(shown.getByText("No tasks: the project waits for approval.")).toBeVisible();
  refuse("projects.step", { status: 400, detail: "A project that is active cannot be approved." });
  await shown.getByRole("button", { name: "Approve" }).click();
  await expect.element(shown.getByText("A project that is active cannot be approved.")).toBeVisible();
  answer("projects.step", () => {
    answer("projects.overviewOf", yard);
    return makeProjectResource(yard);
  });
  await shown.getByRole("button", { name: "Approve" }).click();
  await expect.element(shown.getByRole("button", { name: "Pause" })).toBeVisible();
  expect(listInputs("projects.step")).toEqual([
    { uid, step: "approve" },
    { uid, step: "approve" },
  ]);
});

test("who works on an active project is led to its next task; pausing stays beside it", async () => {
  const shown = await open(yard);
  answer("tasks.next", null);
  await expect.element(shown.getByRole("button", { name: "Pause" })).toBeVisible();
  await shown.getByRole("button", { name: "Start labelling" }).click();
  await expect.element(shown.getByText("Nothing waits for you")).toBeVisible();
  expect(listInputs("tasks.next")).toEqual([{ project: uid }]);
  await expectGoodLooks();
});

test("cancelling asks for the name and says what it releases", async () => {
  const shown = await open(yard);
  await shown.getByRole("button", { name: "Actions for Yard crossings" }).click();
  await shown.getByRole("menuitem", { name: "Cancel project" }).click();
  const dialog = shown.getByRole("dialog", { name: "Cancel Yard crossings?" });
  await expect.element(dialog).toHaveTextContent("the items of 130 open tasks no longer wait for it");
  await expect.element(dialog.getByRole("button", { name: "Cancel project" })).toBeDisabled();
  await dialog.getByRole("textbox").fill("Yard crossings");
  await expect.element(dialog.getByRole("button", { name: "Cancel project" })).toBeEnabled();
  expect(listInputs("projects.step")).toEqual([]);
});

test("whoever may not change labels reads them with their class, former names and results, and why", async () => {
  const shown = await open(yard, "labels", { role: "member" });
  await expect.element(shown.getByText(/admin/)).toBeVisible();
  const rows = shown.getByRole("table").getByRole("row");
  await expect.element(rows.nth(1)).toHaveTextContent(/^0robotwas machinebox, polygon190$/);
  await expect.element(rows.nth(2)).toHaveTextContent(/^2personAlso behind glassall0$/);
  await expect.element(rows.nth(3)).toHaveTextContent(/^1cartretiredall4$/);
  await expectGoodLooks();
});

test("batches that could not be loaded say so; then they show what of them is done and in work", async () => {
  refuse("projects.batches", { status: 503, detail: "The database is busy." });
  const shown = await open(yard, "batches");
  await expect.element(shown.getByRole("alert")).toHaveTextContent("Batches could not be loaded");
  answer("projects.batches", {
    ...nothing,
    results: [
      {
        ...{ uid, number: 1, task_count: 100, started_count: 60, completed_count: 45 },
        ...{ due: yard.created_at, created_at: yard.created_at },
      },
    ],
  });
  await shown.getByRole("button", { name: "Retry" }).click();
  await expect.element(shown.getByText("45 of 100 done, 15 in work")).toBeVisible();
  await expect.element(shown.getByText(/^Overdue since/)).toBeVisible();
  await expectGoodLooks();
});

test("an admin says when a batch is due and who gets what nobody has begun of it", async () => {
  answer("members.list", nothing);
  answer("projects.batches", {
    ...nothing,
    results: [
      { uid, number: 3, task_count: 100, started_count: 0, completed_count: 0, due: null, created_at: yard.created_at },
    ],
  });
  answer("batches.update", sample(WorkBatchResource));
  const shown = await open(yard, "batches");
  await shown.getByRole("button", { name: "Due date and people of batch 3" }).click();
  const dialog = shown.getByRole("dialog", { name: "Batch 3" });
  await dialog.getByLabelText("Due", { exact: true }).fill("2030-05-06");
  await dialog.getByRole("combobox", { name: "Tasks that nobody has begun" }).click();
  await shown.getByRole("option", { name: "Nobody" }).click();
  await expectGoodLooks();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.element(shown.getByText("Changed batch 3")).toBeVisible();
  const due = new Date("2030-05-06T23:59:59").toISOString();
  expect(listInputs("batches.update")).toEqual([{ uid, due, assignee: null }]);
});

test("whoever is no admin reads the settings and why they cannot change them", async () => {
  const shown = await open(yard, "settings", { role: "member" });
  await expect.element(shown.getByRole("textbox", { name: "Name" })).toBeDisabled();
  await expect.element(shown.getByRole("button", { name: "Pause" })).toHaveAttribute("aria-disabled", "true");
  await expectGoodLooks();
});

test("an admin chooses whether reviewers decide all results, a share or none; others read it", async () => {
  answer("members.list", nothing);
  answer("projects.members.list", nothing);
  const shown = await open({ ...yard, review: "share", review_share: 15 }, "settings");
  const share = shown.getByRole("combobox", { name: "Share that reviewers decide" });
  await expect.element(share).toHaveTextContent("15 % of the results");
  await expectGoodLooks();
  answer("projects.update", makeProjectResource(yard));
  answer("projects.overviewOf", { ...yard, review: "none" });
  await shown.getByRole("radio", { name: "No review" }).click();
  await expect.element(shown.getByRole("radio", { name: "No review" })).toBeChecked();
  expect(listInputs("projects.update")).toEqual([{ uid, change: { review: "none" } }]);
  await shown.unmount();
  const read = await open(yard, "settings", { role: "member" });
  await expect.element(read.getByRole("radio", { name: "Reviewers decide a share" })).toBeDisabled();
});

test("people show what each did; an admin gives and takes their roles and adds another", async () => {
  const someone = { held: 0, submitted: 0, accepted: 0, rejected: 0, corrected: 0, decided: 0, seconds: null };
  const ana = {
    ...someone,
    user_uid: uid,
    username: "ana",
    is_member: true,
    roles: ["annotator" as const],
    seconds: 95,
  };
  const left = { ...someone, user_uid: "b", username: "ben", is_member: false, roles: [], decided: 12 };
  answer("projects.byPerson", [
    { ...ana, held: 4, submitted: 1_250, accepted: 1_100, rejected: 90, corrected: 60 },
    left,
  ]);
  const cem = sample(MemberResource, { user_uid: "c", username: "cem", first_name: "Cem", last_name: "Kaya" });
  answer("members.list", { ...nothing, results: [cem] });
  const shown = await open(yard, "people");
  const rows = shown.getByRole("table").getByRole("row");
  await expect.element(rows.nth(1)).toHaveTextContent(/^ana41,2501,10090600/);
  await expect.element(rows.nth(2)).toHaveTextContent("no member any more");
  await expect.element(shown.getByRole("checkbox", { name: "ben: reviewer" })).toBeDisabled();
  await expectGoodLooks();
  answer("projects.people.set", sample(ProjectPersonResource, {}));
  refuse("projects.people.remove", { status: 503, detail: "The database is busy." });
  await shown.getByRole("checkbox", { name: "ana: reviewer" }).click();
  await expect
    .poll(() => listInputs("projects.people.set"))
    .toEqual([{ uid, user: uid, roles: ["annotator", "reviewer"] }]);
  await shown.getByRole("checkbox", { name: "ana: annotator" }).click();
  await expect.poll(() => listInputs("projects.people.remove")).toEqual([{ uid, user_uid: uid }]);
  await expect.element(page.getByText("The roles of ana were not changed")).toBeVisible();
  await shown.getByRole("combobox", { name: "Add an annotator" }).click();
  await shown.getByRole("option", { name: /Cem Kaya/ }).click();
  await expect.poll(() => listInputs("projects.people.set").at(-1)).toEqual({ uid, user: "c", roles: ["annotator"] });
  answer("projects.update", makeProjectResource(yard));
  // By its key: what says that the last change was made may lie over it.
  const only = shown.getByRole("radio", { name: "Annotators only" }).element();
  if (only instanceof HTMLElement) only.focus();
  await userEvent.keyboard(" ");
  await expect.poll(() => listInputs("projects.update")).toEqual([{ uid, change: { annotators_open: false } }]);
});

test("numbers by label lead to the results that they count, and say what they leave out", async () => {
  answer("members.list", nothing);
  answer("projects.byPerson", []);
  const none = { accepted: 0, rejected: 0, corrected: 0, undecided: 0, shapes: 0, issues: [], open_issues: 0 };
  const robot = { id: "0", name: "robot", shapes: 1_240, accepted: 90, rejected: 10, corrected: 4, undecided: 12 };
  const kinds = [
    { kind: "wrong_place" as const, count: 7 },
    { kind: "missing" as const, count: 1 },
  ];
  answer("projects.byLabel", {
    labels: [
      { ...robot, issues: kinds, open_issues: 3 },
      { ...none, id: null, name: "pallet" },
    ],
    newest_issues: 2_000,
  });
  const shown = await open(yard, "people");
  const rows = shown.getByRole("table", { name: "Numbers by label" }).getByRole("row");
  await expect.element(rows.nth(1)).toHaveTextContent(/^robot1,24012901[0 ]*490 %Wrong place 7, Missing 1 · 3 open$/);
  await expect.element(rows.nth(2)).toHaveTextContent(/^pallet00000/);
  await expect.element(shown.getByText("Issues: of the newest 2,000 that are about a shape.")).toBeVisible();
  const address = (name: string) => shown.getByRole("link", { name }).element().getAttribute("href");
  expect(address("robot: 12 to review")).toBe(`/projects/${uid}/review?label=robot`);
  expect(address("robot: 90 accepted")).toBe(`/projects/${uid}/review?state=accepted&label=robot`);
  expect(address("robot: 10 rejected")).toBe(`/projects/${uid}/review?state=rejected&label=robot`);
  expect(address("robot: 3 open issues")).toBe(`/projects/${uid}/review?issues=open&label=robot`);
  await expectGoodLooks();
});

test("numbers by label that take too long, fail or count nothing say so", async () => {
  answer("members.list", nothing);
  answer("projects.byPerson", []);
  refuse("projects.byLabel", { status: 503, detail: "The database is busy." });
  const shown = await open(yard, "people");
  await expect.element(shown.getByRole("alert")).toHaveTextContent("Numbers by label could not be loaded");
  answer("projects.byLabel", { labels: [], newest_issues: null });
  await shown.getByRole("button", { name: "Retry" }).click();
  await expect.element(shown.getByText("Nothing was labelled yet.")).toBeVisible();
  await shown.unmount();
  answer("projects.byLabel", null);
  const much = await open(yard, "people");
  await expect.element(much.getByText("There are too many results to count here.")).toBeVisible();
});

test("a member reads what they did, and why they cannot choose who labels", async () => {
  refuse("projects.byPerson", { status: 503, detail: "The database is busy." });
  const shown = await open(yard, "people", { role: "member" });
  await expect.element(shown.getByRole("alert")).toHaveTextContent("People could not be loaded");
  answer("projects.byPerson", []);
  await shown.getByRole("button", { name: "Retry" }).click();
  await expect.element(shown.getByText("You did nothing here yet.")).toBeVisible();
  await expect.element(shown.getByRole("radio", { name: "Every member" })).toBeDisabled();
  answer("projects.byPerson", null);
  await expectGoodLooks();
});
