import { describe, expect, test } from "vitest";
import { page } from "vitest/browser";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, connect, listInputs, refuse } from "@/components/testing/network";
import {
  box,
  detail,
  hide,
  open,
  prepareReviews,
  press,
  queue,
  result,
  row,
  task,
  three,
  uid,
} from "../testing/reviews-of-tests";

prepareReviews();

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

describe("several at once", () => {
  const acceptAll = async () => {
    queue(three);
    const shown = await open();
    await shown.getByRole("button", { name: "Select all" }).click();
    await shown.getByRole("button", { name: "Accept 3" }).click();
    await expect.element(shown.getByRole("heading", { name: "Nothing to review" })).toBeVisible();
    return shown;
  };

  test("each can be taken back, and the rest is sent in one request", async () => {
    const shown = await acceptAll();
    await shown.getByRole("button", { name: "Undo: crossing-2.png" }).click();
    answer("results.decideMany", { done: 2, failed: [] });
    hide();
    await expect
      .poll(() => listInputs("results.decideMany"))
      .toEqual([{ uids: [uid(101), uid(103)], decision: "accept", reason: "" }]);
    await expect.element(shown.getByText("You accepted it").first()).toBeVisible();
    hide();
    expect(listInputs("results.decideMany")).toHaveLength(1);
    expect(listInputs("results.accept")).toEqual([]);
  });

  test("what the server refused of them says why in its row, and the others are done", async () => {
    const shown = await acceptAll();
    const error = "You submitted this result; another person decides it.";
    answer("results.decideMany", { done: 2, failed: [{ uid: uid(102), error }] });
    hide();
    await expect.element(shown.getByText("crossing-2.png was not accepted")).toBeVisible();
    await expect.element(shown.getByRole("list", { name: "Results to review" }).getByText(error)).toBeVisible();
    expect(shown.getByText("You accepted it").elements()).toHaveLength(2);
  });

  test("they are tried again when nobody knows whether the server has them, and sent alone when one of them is gone", async () => {
    const shown = await acceptAll();
    refuse("results.decideMany", { status: 503, detail: "The database is busy." });
    hide();
    await expect.element(shown.getByText("Not sent yet, tried again").first()).toBeVisible();
    refuse("results.decideMany", { status: 400, detail: "There is no such result." });
    answer("results.accept", ({ uid: of }) => result(row(Number(of.slice(-1))), { status: "accepted" }));
    dispatchEvent(new Event("online"));
    await expect.poll(() => shown.getByText("You accepted it").elements()).toHaveLength(3);
    expect(listInputs("results.accept").map((input) => input.uid)).toEqual([uid(101), uid(102), uid(103)]);
  });

  test("a page that was left before they were sent keeps all of them for the next", async () => {
    const first = await acceptAll();
    connect(false);
    await first.unmount();
    connect(true);
    answer("results.decideMany", { done: 3, failed: [] });
    await open({}, { undoMs: 0 });
    await expect
      .poll(() => listInputs("results.decideMany").map(({ uids }) => uids.toSorted()))
      .toEqual([[uid(101), uid(102), uid(103)]]);
  });
});

test("where a share is reviewed, the queue says of how many it is the sample, and shows the rest to who asks", async () => {
  queue(three);
  answer("projects.overviewOf", { ...detail, review: "share", review_share: 20 });
  const shown = await open();
  const sample = shown.getByRole("combobox", { name: "Sample" });
  await expect.element(sample).toHaveTextContent("Sample of 20 %");
  await expectGoodLooks();
  // A phone hides the queue.
  await page.viewport(1440, 900);
  queue([]);
  await sample.click();
  await shown.getByRole("option", { name: "Not in the sample" }).click();
  await expect.element(shown.getByRole("heading", { name: "Nothing to review" })).toBeVisible();
  expect(listInputs("results.queue").map((input) => input.sample)).toEqual([undefined, "rest"]);
  await expect.element(shown.getByText(/the rest of it is accepted, or looked at too/)).toBeVisible();
});

test("what is open about a result is counted in its row, and the queue is narrowed to it and ordered by it", async () => {
  queue([row(1), row(2, { open_issues: 3, round: 2, shape_count: 12, submitted_by: "a-rather-long-username" })]);
  const shown = await open({}, { at: "?sort=issues" });
  const rows = shown.getByRole("list", { name: "Results to review" }).getByRole("listitem");
  await expect.element(rows.nth(1).getByText("3 issues")).toBeVisible();
  await expect.element(rows.nth(0)).not.toHaveTextContent("issue");
  await expect.element(shown.getByRole("combobox", { name: "Order" })).toHaveTextContent("Most open issues");
  await expectGoodLooks();
  await page.viewport(1440, 900);
  queue([]);
  await shown.getByRole("combobox", { name: "Issues" }).click();
  await shown.getByRole("option", { name: "With open issues" }).click();
  await expect.element(shown.getByText("Nothing that matches the filter waits for a decision.")).toBeVisible();
  expect(listInputs("results.queue").map(({ sort, issues }) => [sort, issues])).toEqual([
    ["issues", undefined],
    ["issues", "open"],
  ]);
  expect(location.search).toBe("?sort=issues&issues=open");
});

test("what was decided is read with who decided it, and cannot be decided again", async () => {
  const decided = { status: "accepted" as const, decided_by: "cleo" };
  const rows = [row(1, decided), row(2, { ...decided, decided_by: "Muster" })];
  queue(rows);
  answer("tasks.editor", ({ uid: of }) => {
    const found = rows.find((each) => each.task === of) ?? row(1, decided);
    return task(found, [result(found, { status: "accepted", decided_by: found.decided_by })]);
  });
  const shown = await open({}, { at: "?state=accepted&label=forklift" });
  await expect.element(shown.getByRole("heading", { name: "crossing-1.png" })).toBeVisible();
  await expect.element(shown.getByText("2 accepted")).toBeVisible();
  await expect.element(shown.getByText("Accepted by Muster")).toBeVisible();
  await expect.element(shown.getByRole("button", { name: "Accept", exact: true })).not.toBeInTheDocument();
  await press("an");
  await expect.element(shown.getByRole("heading", { name: "crossing-2.png" })).toBeVisible();
  expect(listInputs("results.queue")).toMatchObject([{ state: "accepted", label: "forklift" }]);
  await expectGoodLooks();
  await page.viewport(1440, 900);
  queue([]);
  await shown.getByRole("combobox", { name: "State" }).click();
  await shown.getByRole("option", { name: "Rejected" }).click();
  await expect.element(shown.getByText("Nothing that was decided matches the filter.")).toBeVisible();
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
