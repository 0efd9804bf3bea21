import { expect, test } from "vitest";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs } from "@/components/testing/network";
import type { Issue } from "../issues/use-issues";
import {
  box,
  open,
  prepareReviews,
  press,
  project,
  queue,
  result,
  row,
  task,
  three,
  uid,
} from "../testing/reviews-of-tests";

prepareReviews();

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
