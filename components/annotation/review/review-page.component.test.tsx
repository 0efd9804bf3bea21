import { beforeEach, describe, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, connect, listInputs, refuse } from "@/components/testing/network";
import { makeProject } from "@/components/testing/projects";
import { completeLabels } from "@/domain/projects/label-schema";
import type { Issue } from "../issues/use-issues";
import type { ReviewedResult, ReviewedTask, StoredResult } from "./query";
import { ReviewPage } from "./review-page";

const uid = (n: number) => `018f0000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const project = uid(1);
const labels = completeLabels([
  { name: "forklift", color: "#0891b2" },
  { name: "pallet", color: "#c2410c" },
]);

const detail = makeProject({
  uid: project,
  labels,
  task_count: 60,
  completed_count: 44,
  accepted_count: 41,
  rejected_count: 3,
});

const row = (n: number, members: Partial<ReviewedResult> = {}): ReviewedResult => ({
  uid: uid(100 + n),
  task: uid(200 + n),
  name: `crossing-${n}.png`,
  item: uid(300 + n),
  media_type: "image/png",
  has_thumbnail: false,
  status: "submitted",
  submitted_by: "ben",
  is_own: false,
  round: 1,
  shape_count: 1,
  labels: ["forklift"],
  open_issues: 0,
  reason: "",
  decided_by: null,
  created_at: "2026-02-03T09:00:00.000Z",
  ...members,
});

const box = (x: number, more: object = {}) => ({
  label: "forklift",
  type: "bbox",
  coordinates: { x, y: 10, width: 100, height: 50 },
  attributes: {},
  ...more,
});

const result = (of: ReviewedResult, members: Partial<StoredResult> = {}): StoredResult => ({
  uid: of.uid,
  task: of.task,
  project,
  dataset_item: of.item,
  status: "submitted",
  annotations: [box(10)],
  reason: "",
  submitted_by: of.submitted_by,
  decided_by: null,
  decided_at: null,
  revises: null,
  superseded_by: null,
  created_at: of.created_at,
  updated_at: of.created_at,
  ...members,
});

const task = (of: ReviewedResult, earlier: StoredResult[] = [result(of)]): ReviewedTask => ({
  task: {
    uid: of.task,
    type: "image-annotation",
    name: of.name,
    status: "completed",
    project,
    dataset_item: of.item,
    assignee: null,
    work_batch: uid(9),
    state: "submitted",
    created_at: of.created_at,
    updated_at: of.created_at,
  },
  item: {
    uid: of.item,
    key: of.name,
    status: "completed",
    metadata: { width: 640, height: 480 },
    annotations_count: 1,
    created_at: of.created_at,
    data_url: "",
    thumbnail_url: "",
    sequence: null,
    view: "",
    frame: null,
    size_bytes: 1,
    added_by_uid: null,
  },
  project: { uid: project, name: detail.name, task_type: "image-annotation", status: "active", labels, guide: "" },
  earlier,
  draft: null,
  lease: null,
  place: { batch: 1, at: 1, of: 3 },
});

const queue = (rows: readonly ReviewedResult[]) =>
  answer("results.queue", { results: [...rows], next: null, previous: null });
const three = [row(1), row(2), row(3)];

/** Another for each test, so that none finds the decisions of the one before. */
let organization = "";

beforeEach(() => {
  organization = crypto.randomUUID();
  answer("projects.overviewOf", detail);
  answer("issues.list", { results: [], next: null, previous: null });
  answer("projects.people.list", {
    results: [{ user_uid: uid(7), username: "cleo", roles: ["reviewer"], has_access: true }],
    next: null,
    previous: null,
  });
  answer("tasks.editor", ({ uid: of }) => task(three.find((each) => each.task === of) ?? row(1)));
});

/** `undoMs`: long, so that nothing is sent by itself. */
const open = async (options: Parameters<typeof show>[2] = {}, { at = "", undoMs = 600_000 } = {}) => {
  await page.viewport(1440, 900);
  return show(
    <div className="flex h-full flex-col">
      <ReviewPage project={project} organization={organization} undoMs={undoMs} />
    </div>,
    `/projects/${project}/review${at}`,
    options,
  );
};

const press = (keys: string) => userEvent.keyboard(keys);
/** The page goes into the background, as it does when it is left. */
const hide = () => {
  Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
  Object.defineProperty(document, "visibilityState", { value: "visible", configurable: true });
};

describe("one after the other, by keys", () => {
  test("a accepts and opens the next, u takes it back, and leaving sends what is left once", async () => {
    queue(three);
    const shown = await open();
    const name = (n: number) => shown.getByRole("heading", { name: `crossing-${n}.png` });
    await expect.element(name(1)).toBeVisible();
    await press("a");
    await expect.element(name(2)).toBeVisible();
    await press("a");
    await expect.element(name(3)).toBeVisible();
    await press("u");
    await expect.element(name(2)).toBeVisible();
    expect(listInputs("results.accept")).toEqual([]);
    answer("results.accept", result(row(1), { status: "accepted" }));
    hide();
    await expect.poll(() => listInputs("results.accept")).toEqual([{ uid: uid(101), reason: "" }]);
    hide();
    await expect.element(shown.getByText("You accepted it")).toBeVisible();
    expect(listInputs("results.accept")).toHaveLength(1);
    await expectGoodLooks();
  });

  test("x asks what is wrong: digits choose, words are added, and Enter rejects", async () => {
    queue(three);
    const shown = await open();
    await expect.element(shown.getByRole("heading", { name: "crossing-1.png" })).toBeVisible();
    await press("x");
    const form = shown.getByRole("form", { name: "Reject crossing-1.png" });
    await expect.element(form.getByRole("button", { name: "Reject" })).toHaveAttribute("aria-disabled", "true");
    await press("13");
    await expect.element(form.getByRole("button", { name: "Missing" })).toHaveAttribute("aria-pressed", "true");
    await expectGoodLooks();
    await form.getByRole("textbox", { name: /What to do/ }).fill("the cart behind the gate");
    await press("{Control>}{Enter}{/Control}");
    await expect.element(shown.getByRole("heading", { name: "crossing-2.png" })).toBeVisible();
    answer("results.reject", result(row(1), { status: "rejected" }));
    hide();
    await expect
      .poll(() => listInputs("results.reject"))
      .toEqual([
        {
          uid: uid(101),
          reason: "Wrong label, missing: the cart behind the gate",
          issues: [
            { kind: "wrong_label", text: "" },
            { kind: "missing", text: "" },
          ],
        },
      ]);
  });

  test("a press on the picture pins what is wrong there: on a shape that, elsewhere what is missing", async () => {
    queue(three);
    const named = box(10, { attributes: { id: uid(77) } });
    answer("tasks.editor", ({ uid: of }) =>
      of === uid(201) ? task(row(1), [result(row(1), { annotations: [named] })]) : task(row(2)),
    );
    const shown = await open();
    const stage = shown.getByRole("application", { name: "Picture, 1 shape" });
    await expect.element(stage).toBeVisible();
    await press("x");
    await expect.element(shown.getByRole("form", { name: "Reject crossing-1.png" })).toBeVisible();
    const { width, height } = stage.element().getBoundingClientRect();
    const scale = Math.min(width / 640, height / 480);
    const at = (x: number, y: number) => ({
      x: width / 2 + (x - 320) * scale,
      y: height / 2 + (y - 240) * scale,
    });
    await stage.click({ position: at(60, 35) });
    await stage.click({ position: at(500, 400) });
    await expect.element(shown.getByRole("button", { name: "Issue 1: Wrong place" })).toBeVisible();
    await expect.element(shown.getByRole("button", { name: "Issue 2: Wrong place" })).toBeVisible();
    await press("3");
    await shown.getByRole("button", { name: "Take pin 2 away" }).click();
    await stage.click({ position: at(500, 400) });
    await shown.getByRole("textbox", { name: "2 Missing" }).fill("a second cart");
    await expectGoodLooks();
    await press("{Control>}{Enter}{/Control}");
    answer("results.reject", result(row(1), { status: "rejected" }));
    hide();
    await expect.poll(() => listInputs("results.reject").length).toBe(1);
    expect(listInputs("results.reject")).toMatchObject([
      {
        reason: "Wrong place, missing: a second cart",
        issues: [
          { kind: "wrong_place", shape: uid(77) },
          { kind: "missing", text: "a second cart" },
        ],
      },
    ]);
    const [, missing] = listInputs("results.reject")[0]?.issues ?? [];
    expect(missing?.point?.map((each) => Math.round(each / 10))).toEqual([50, 40]);
  });

  test("n and p go through the queue without deciding", async () => {
    queue(three);
    const shown = await open();
    await expect.element(shown.getByRole("heading", { name: "crossing-1.png" })).toBeVisible();
    await press("nn");
    await expect.element(shown.getByRole("heading", { name: "crossing-3.png" })).toBeVisible();
    await press("p");
    await expect.element(shown.getByRole("heading", { name: "crossing-2.png" })).toBeVisible();
  });
});

describe("decisions are sent once", () => {
  test("after the time in which they can be taken back", async () => {
    queue(three);
    answer("results.accept", result(row(1), { status: "accepted" }));
    const shown = await open({}, { undoMs: 1 });
    await expect.element(shown.getByRole("heading", { name: "crossing-1.png" })).toBeVisible();
    await press("a");
    await expect.element(shown.getByText("You accepted it")).toBeVisible();
    expect(listInputs("results.accept")).toHaveLength(1);
  });

  test("one that a page left behind is sent by the next", async () => {
    queue(three);
    const first = await open();
    await expect.element(first.getByRole("heading", { name: "crossing-1.png" })).toBeVisible();
    await press("a");
    await expect.element(first.getByRole("heading", { name: "crossing-2.png" })).toBeVisible();
    connect(false);
    await first.unmount();
    connect(true);
    answer("results.accept", result(row(1), { status: "accepted" }));
    await open({}, { undoMs: 0 });
    await expect.poll(() => listInputs("results.accept")).toEqual([{ uid: uid(101), reason: "" }]);
  });

  test("without a connection they are kept, and sent when it is back", async () => {
    queue(three);
    const shown = await open();
    await expect.element(shown.getByRole("heading", { name: "crossing-1.png" })).toBeVisible();
    await press("a");
    connect(false);
    hide();
    await expect.element(shown.getByText("Not sent yet, tried again")).toBeVisible();
    connect(true);
    answer("results.accept", result(row(1), { status: "accepted" }));
    dispatchEvent(new Event("online"));
    await expect.element(shown.getByText("You accepted it")).toBeVisible();
  });

  test("an answer that was lost is none that fails: what is decided as wanted is done", async () => {
    queue(three);
    const shown = await open();
    await expect.element(shown.getByRole("heading", { name: "crossing-1.png" })).toBeVisible();
    await press("a");
    await expect.element(shown.getByRole("heading", { name: "crossing-2.png" })).toBeVisible();
    refuse("results.accept", { status: 400, detail: "This result is accepted already." });
    answer("tasks.editor", task(row(1), [result(row(1), { status: "accepted", decided_by: "ada" })]));
    hide();
    await expect.element(shown.getByText("You accepted it")).toBeVisible();
  });
});

describe("who decides", () => {
  test("nobody sees Accept on an own result, and reads who decides it", async () => {
    queue([row(1, { is_own: true, submitted_by: "ada" })]);
    const shown = await open({}, { at: `?result=${uid(101)}` });
    await expect.element(shown.getByText("You made this; cleo or an admin decides.")).toBeVisible();
    await expect.element(shown.getByRole("button", { name: "Accept" })).not.toBeInTheDocument();
    await press("a");
    await expect.element(shown.getByText("yours · 1 shape")).toBeVisible();
    await expectGoodLooks();
  });

  test("what somebody else decided meanwhile says so, and the next opens", async () => {
    queue(three);
    const gone = result(row(1), { status: "accepted", decided_by: "cleo" });
    answer("tasks.editor", ({ uid: of }) =>
      of === uid(201) ? task(row(1), [gone]) : task(three.find((each) => each.task === of) ?? row(2)),
    );
    const shown = await open();
    await expect.element(shown.getByText("Accepted by cleo", { exact: true })).toBeVisible();
    await expect.element(shown.getByRole("heading", { name: "crossing-2.png" })).toBeVisible();
  });

  test("whoever may not decide sees the results and no buttons", async () => {
    queue(three);
    const shown = await open({ role: "member" });
    await expect.element(shown.getByRole("heading", { name: "crossing-1.png" })).toBeVisible();
    await expect.element(shown.getByRole("button", { name: "Accept" })).not.toBeInTheDocument();
  });
});

test("differences to the round before are listed, and f hides what is the same", async () => {
  const second = row(1, { round: 2, shape_count: 3 });
  queue([second]);
  const now = result(second, { annotations: [box(10), box(240), box(400, { label: "pallet" })] });
  const before = result(second, {
    uid: uid(50),
    status: "rejected",
    reason: "box too large",
    decided_by: "cleo",
    annotations: [box(10), box(200)],
  });
  answer("tasks.editor", task(second, [now, before]));
  answer("results.compare", [
    { a_shape: 0, b_shape: 0, iou: 1, differs: [] },
    { a_shape: 1, b_shape: 1, iou: 0.43, differs: ["place"] },
    { a_shape: null, b_shape: 2, iou: null, differs: ["missing"] },
  ]);
  const shown = await open();
  await expect.element(shown.getByRole("tab", { name: /Differences/ })).toHaveTextContent("Differences2");
  await press("f");
  await expect.element(shown.getByText("Since round 1: 1 the same")).toBeVisible();
  const list = shown.getByRole("list", { name: "Differences" });
  await expect.element(list.getByRole("button").nth(0)).toHaveTextContent("Moved, forklift");
  await expect.element(list.getByRole("button").nth(1)).toHaveTextContent("New, pallet");
  await expect.element(shown.getByRole("switch", { name: "Only these" })).toBeChecked();
  await expectGoodLooks();
  await shown.getByRole("tab", { name: /Rounds/ }).click();
  await expect.element(shown.getByText("Rejected by cleo, 2 shapes")).toBeVisible();
  await expect.element(shown.getByText("box too large")).toBeVisible();
  await shown.getByRole("button", { name: "Show its shapes" }).click();
  await expect.element(shown.getByText("Shapes of round 1, by ben")).toBeVisible();
  await expectGoodLooks();
});

const issue = (n: number, members: Partial<Issue> = {}): Issue => ({
  uid: uid(600 + n),
  task: uid(201),
  project,
  result: uid(50),
  round: 1,
  shape: null,
  point: [100, 100],
  kind: "wrong_place",
  text: "Too large",
  state: "open",
  by: "cleo",
  resolved_by: null,
  resolved_at: null,
  comments: [],
  created_at: "2026-02-03T09:00:00.000Z",
  updated_at: "2026-02-03T09:00:00.000Z",
  ...members,
});

test("issues stand in order with their pins, and are answered, resolved and opened again", async () => {
  const second = row(1, { round: 2, open_issues: 1 });
  queue([second]);
  answer("tasks.editor", task(second));
  const settled = issue(2, { kind: "missing", text: "", state: "resolved", resolved_by: "ben", point: [300, 200] });
  answer("issues.list", { results: [issue(1), settled], next: null, previous: null });
  const shown = await open();
  await expect.element(shown.getByRole("tab", { name: /Issues/ })).toHaveTextContent("Issues1");
  await shown.getByRole("button", { name: "Issue 1: Wrong place" }).click();
  const list = shown.getByRole("list", { name: "Issues" });
  await expect.element(list).toHaveTextContent("Too large");
  await expect.element(shown.getByRole("button", { name: "Issue 2: Missing, resolved" })).toBeVisible();
  await expectGoodLooks();
  answer("issues.comment", { uid: uid(700), by: "ada", text: "Half of it", created_at: second.created_at });
  await list.getByRole("textbox", { name: "Answer to issue 1" }).fill("Half of it");
  await press("{Enter}");
  await expect.poll(() => listInputs("issues.comment")).toEqual([{ uid: uid(601), text: "Half of it" }]);
  answer("issues.update", issue(1, { state: "resolved" }));
  await list.getByRole("button", { name: "Resolve issue 1" }).click();
  await list.getByRole("button", { name: "Reopen issue 2" }).click();
  await expect
    .poll(() => listInputs("issues.update"))
    .toEqual([
      { uid: uid(601), state: "resolved" },
      { uid: uid(602), state: "open" },
    ]);
});

test("e opens the editor; what is changed there is kept, and sent in place of the result", async () => {
  queue(three);
  const first = await open();
  await expect.element(first.getByRole("heading", { name: "crossing-1.png" })).toBeVisible();
  await press("e");
  const stage = first.getByRole("application", { name: "Picture, 1 shape" });
  await expect.element(first.getByText("Your correction")).toBeVisible();
  stage.element().focus();
  await press("{Tab}{Shift>}{ArrowRight}{/Shift}");
  await expect.element(first.getByRole("option", { name: "Box, forklift, 100 by 50 at 20, 10" })).toBeVisible();
  await expectGoodLooks();
  await first.unmount();
  const again = await open();
  await expect.element(again.getByRole("heading", { name: "crossing-1.png" })).toBeVisible();
  await press("e");
  await expect.element(again.getByRole("option", { name: "Box, forklift, 100 by 50 at 20, 10" })).toBeVisible();
  answer("results.revise", result(row(1), { status: "accepted", revises: uid(101) }));
  await press("{Control>}{Enter}{/Control}");
  await expect.element(again.getByText("Corrected by you")).toBeVisible();
  await expect.element(again.getByRole("heading", { name: "crossing-2.png" })).toBeVisible();
  expect(listInputs("results.revise")).toMatchObject([
    { uid: uid(101), annotations: [{ label: "forklift", type: "bbox", coordinates: { x: 20, y: 10 } }] },
  ]);
});

test("several are decided at once, each of which can be taken back", async () => {
  queue(three);
  const shown = await open();
  await shown.getByRole("button", { name: "Select all" }).click();
  await shown.getByRole("button", { name: "Accept 3" }).click();
  await expect.element(shown.getByRole("heading", { name: "Nothing to review" })).toBeVisible();
  await shown.getByRole("button", { name: "Undo: crossing-2.png" }).click();
  answer("results.accept", ({ uid: of }) => result(row(Number(of.slice(-1))), { status: "accepted" }));
  hide();
  await expect
    .poll(() =>
      listInputs("results.accept")
        .map((input) => input.uid)
        .toSorted(),
    )
    .toEqual([uid(101), uid(103)]);
});

test("an empty queue says how much was decided and what is still to do", async () => {
  queue([]);
  const shown = await open();
  await expect.element(shown.getByRole("heading", { name: "Nothing to review" })).toBeVisible();
  await expect
    .element(shown.getByText("41 accepted, 93 % of what was decided. 16 tasks are still to do."))
    .toBeVisible();
  await expectGoodLooks();
});

test("a queue that could not be loaded says so and can be tried again", async () => {
  refuse("results.queue", { status: 503, detail: "The database is busy." });
  const shown = await open();
  await expect.element(shown.getByRole("alert")).toHaveTextContent("The queue could not be loaded");
  queue(three);
  await shown.getByRole("button", { name: "Retry" }).click();
  await expect.element(shown.getByRole("heading", { name: "crossing-1.png" })).toBeVisible();
});
