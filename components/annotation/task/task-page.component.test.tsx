import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, connect, listInputs, refuse } from "@/components/testing/network";
import { completeLabels } from "@/domain/projects/label-schema";
import { makeBox } from "../testing/drafts-of-tests";
import {
  draft,
  drawBox,
  endTask,
  isHeld,
  listSaved,
  makeProject,
  makeResult,
  makeTask,
  open,
  reopen,
  result,
  second,
  serve,
  token,
  uid,
} from "../testing/tasks-of-tests";

beforeEach(() => localStorage.clear());
afterEach(endTask);

test("what is drawn is stored here, sent, and submitted; the next picture goes on with the same tool and label", async () => {
  const page = await open();
  await isHeld(page);
  await expect.element(page.screen.getByText("14/100")).toBeVisible();
  await userEvent.keyboard("2");
  await drawBox(page);
  await expect.poll(() => listSaved()).toMatchObject([{ op: "put", shape: { type: "bbox", label_id: "1" } }]);
  expect(listInputs("tasks.saveDraft")[0]?.change).toMatchObject({ lease: token, n: 1, base: 0 });
  await isHeld(page);
  const next = makeTask({
    task: { ...makeTask().task, uid: second },
    item: { ...makeTask().item, key: "front/000143.png" },
    lease: { token: "b".repeat(64), until: "2026-02-02T09:30:00.000Z" },
    place: { batch: 1, at: 15, of: 100 },
  });
  answer("tasks.submit", { result: makeResult(), next });
  await userEvent.keyboard("{Control>}{Enter}{/Control}");
  await expect.element(page.screen.getByText("15/100")).toBeVisible();
  expect(listInputs("tasks.submit")).toMatchObject([{ uid, lease: token, version: 1, next: { project: uid } }]);
  expect(location.pathname).toBe(`/tasks/${second}`);
  await expect
    .element(page.screen.getByRole("button", { name: "Box", exact: true }))
    .toHaveAttribute("aria-pressed", "true");
  await expect.element(page.screen.getByRole("button", { name: "pallet" })).toHaveAttribute("aria-pressed", "true");
  expect(listInputs("tasks.release")).toEqual([]);
  answer("tasks.submit", { result: makeResult(), next: null });
  await isHeld(page);
  await userEvent.keyboard("{Control>}{Enter}{/Control}");
  await expect.element(page.screen.getByRole("heading", { name: "All done" })).toBeVisible();
  await expectGoodLooks();
});

test("skipping asks for the reason, by keys too, and goes on with the next picture", async () => {
  const page = await open();
  await isHeld(page);
  await drawBox(page);
  await expect.poll(() => listSaved()).toHaveLength(1);
  await userEvent.keyboard("{Control>}{Backspace}{/Control}");
  const dialog = page.screen.getByRole("dialog", { name: "Skip 000142.png" });
  await expect.element(dialog.getByRole("button", { name: "Damaged" })).toHaveFocus();
  await userEvent.keyboard("4");
  await expect.element(dialog.getByRole("button", { name: "Other" })).toHaveAttribute("aria-pressed", "true");
  const skip = dialog.getByRole("button", { name: "Skip", exact: true });
  await expect.element(skip).toHaveAttribute("aria-disabled", "true");
  await expectGoodLooks();
  await userEvent.keyboard("2");
  const next = makeTask({
    task: { ...makeTask().task, uid: second },
    item: { ...makeTask().item, key: "front/000143.png" },
    lease: { token: "b".repeat(64), until: "2026-02-02T09:30:00.000Z" },
    place: { batch: 1, at: 15, of: 100 },
  });
  answer("tasks.skip", { task: makeTask().task, next });
  await dialog.getByRole("textbox", { name: "What is wrong" }).fill("two carts in one");
  await userEvent.keyboard("{Enter}");
  await expect.element(page.screen.getByText("15/100")).toBeVisible();
  await expect.element(dialog).not.toBeInTheDocument();
  expect(listInputs("tasks.skip").at(-1)).toEqual({
    uid,
    lease: token,
    reason: "unclear",
    text: "two carts in one",
    next: { project: uid },
  });
  expect(listInputs("tasks.release")).toEqual([]);
});

test("a picture that cannot be loaded is skipped as damaged", async () => {
  const found = makeTask();
  const { screen } = await open({ ...found, item: { ...found.item, metadata: {} } });
  await expect.element(screen.getByText("The picture could not be loaded.")).toBeVisible();
  answer("tasks.skip", { task: found.task, next: null });
  await screen.getByRole("button", { name: "Skip" }).click();
  const dialog = screen.getByRole("dialog");
  await expect.element(dialog.getByRole("button", { name: "Damaged" })).toHaveAttribute("aria-pressed", "true");
  await userEvent.keyboard("{Enter}");
  await expect.element(screen.getByRole("heading", { name: "All done" })).toBeVisible();
  expect(listInputs("tasks.skip")).toMatchObject([{ uid, lease: token, reason: "damaged" }]);
});

describe("read only, with the reason", () => {
  test("somebody else works on it: members wait, admins take it over", async () => {
    serve(makeTask({ draft: draft(3, makeBox("a", [100, 100, 50, 50], { label_id: "0" })) }));
    refuse("tasks.open", {
      status: 409,
      detail: "ben works on this task.",
      facts: { code: "lease_taken", by: "ben", until: "2026-02-02T09:30:00.000Z" },
    });
    const page = await reopen({ role: "member" });
    await expect.element(page.screen.getByText("ben works on this.")).toBeVisible();
    await expect.element(page.screen.getByRole("option")).toHaveAccessibleName(/^Box, forklift/);
    expect(page.screen.getByRole("button", { name: "Take over" }).elements()).toEqual([]);
    await expectGoodLooks();
    await page.screen.unmount();
    answer("tasks.takeOver", { token, until: "2026-02-02T09:30:00.000Z" });
    const asAdmin = await reopen();
    await asAdmin.screen.getByRole("button", { name: "Take over" }).click();
    await isHeld(asAdmin);
    await drawBox(asAdmin);
    await expect.poll(() => listSaved().length).toBe(1);
  });

  test("this browser has it in another tab, from which it is taken over", async () => {
    serve(makeTask());
    let release = () => {};
    void navigator.locks
      .request(`task-${uid}`, () => new Promise<void>((resolve) => (release = resolve)))
      .catch(() => {});
    const page = await reopen();
    await expect.element(page.screen.getByText("You work on this in another tab.")).toBeVisible();
    await expectGoodLooks();
    await page.screen.getByRole("button", { name: "Take over" }).click();
    await isHeld(page);
    release();
  });

  test("viewers, and people to whom it is not assigned", async () => {
    const page = await open(makeTask(), { role: "member", readOnly: true });
    await expect
      .element(page.screen.getByRole("button", { name: "Box", exact: true }))
      .toHaveAttribute("aria-disabled");
    await expectGoodLooks();
    await page.screen.unmount();
    const assigned = makeTask();
    const other = await open({ ...assigned, task: { ...assigned.task, assignee: "ben" } }, { role: "member" });
    await expect.element(other.screen.getByText("Assigned to ben.")).toBeVisible();
    expect(listInputs("tasks.open")).toEqual([]);
  });

  test("a submitted task shows its result, with labels that were renamed", async () => {
    const annotation = {
      label: "lift",
      type: "bbox",
      coordinates: { x: 10, y: 10, width: 30, height: 20 },
      attributes: {},
    };
    const done = makeTask({
      earlier: [result({ status: "submitted", submitted_by: "API", annotations: [annotation] })],
      project: {
        ...makeTask().project,
        labels: completeLabels([{ name: "forklift", color: "#0891b2", aliases: ["lift"] }]),
      },
    });
    const page = await open({ ...done, task: { ...done.task, state: "submitted", status: "completed" } });
    await expect.element(page.screen.getByText(/Submitted by API/)).toBeVisible();
    await expect.element(page.screen.getByRole("option")).toHaveAccessibleName("Box, forklift, 30 by 20 at 10, 10");
    await expectGoodLooks();
  });

  test("a skipped task says why", async () => {
    const { task, ...found } = makeTask();
    const skipped = {
      state: "skipped",
      status: "completed",
      skip_reason: "wrong_data",
      skip_text: "not our yard",
    } as const;
    const page = await open({ ...found, task: { ...task, ...skipped } });
    await expect.element(page.screen.getByText("Skipped as wrong data: not our yard")).toBeVisible();
    await expect.element(page.screen.getByRole("button", { name: "Skip" })).not.toBeInTheDocument();
    expect(listInputs("tasks.open")).toEqual([]);
  });

  test("nobody has labels yet: admins are led to them", async () => {
    const found = makeTask();
    serve({ ...found, project: { ...found.project, labels: [] } });
    answer("projects.overviewOf", makeProject({ labels: [] }));
    const page = await reopen();
    await expect
      .element(page.screen.getByRole("link", { name: "Add labels" }))
      .toHaveAttribute("href", `/projects/${uid}?tab=labels`);
    await expectGoodLooks();
  });

  test("it is gone", async () => {
    refuse("tasks.editor", { status: 404, detail: "Not found." });
    const { screen } = await reopen();
    await expect.element(screen.getByText(/This task is gone/)).toBeVisible();
  });
});

test("work that was sent back says by whom and why, and a paused project that this is the last one", async () => {
  serve(makeTask({ earlier: [result({ status: "rejected", decided_by: "ben", reason: "box too large" })] }));
  answer(
    "projects.overviewOf",
    makeProject({
      guide: "# Forklifts\n\nAlso behind glass.",
      status: "paused",
      steps: [{ status: "paused", by: "ana", at: "2026-02-02T10:00:00.000Z" }],
    }),
  );
  const page = await reopen();
  await expect.element(page.screen.getByText("Back from ben: box too large")).toBeVisible();
  await expect.element(page.screen.getByText("Round 2")).toBeVisible();
  await page.screen.getByRole("tab", { name: "Guide" }).click();
  await expect.element(page.screen.getByText("Also behind glass.")).toBeVisible();
  await expect.element(page.screen.getByText("Paused by ana: finish this one, no new one comes.")).toBeVisible();
  await expectGoodLooks();
});

test("a task that was sent back before drafts were kept opens with the draft that opening it begins", async () => {
  const found = makeTask({ earlier: [result({ status: "rejected", decided_by: "ben", reason: "box too large" })] });
  serve(found);
  answer("tasks.open", () => {
    answer("tasks.editor", { ...found, draft: draft(1, makeBox("was", [100, 100, 50, 50], { label_id: "0" })) });
    return { ...found.task, lease: { token, until: "2026-02-02T09:30:00.000Z" } };
  });
  const page = await reopen();
  await isHeld(page);
  await expect.element(page.screen.getByRole("tab", { name: /^Shapes/ })).toHaveTextContent("1");
});

describe("nothing is lost", () => {
  test("when somebody takes it over: what is kept is put on what the draft is then, or dropped", async () => {
    const page = await open();
    await isHeld(page);
    refuse("tasks.saveDraft", {
      status: 409,
      detail: "ben works on this task now.",
      facts: { code: "lease_lost", by: "ben" },
    });
    await drawBox(page);
    await expect.element(page.screen.getByText(/ben took over at .* Your 1 change is kept here\./)).toBeVisible();
    await expectGoodLooks();
    serve(makeTask({ draft: draft(7, makeBox("theirs", [300, 300, 50, 50], { label_id: "1" })) }));
    refuse("tasks.saveDraft", { status: 409, detail: "Moved.", facts: { code: "draft_moved", version: 7 } });
    await page.screen.getByRole("button", { name: "Copy mine" }).click();
    await expect.element(page.screen.getByRole("tab", { name: /Shapes/ })).toHaveTextContent("2");
    answer("tasks.saveDraft", ({ change: { n } }) => ({ version: 8, n }));
    await isHeld(page);
    expect(listInputs("tasks.saveDraft").at(-1)?.change).toMatchObject({ base: 7, n: 2 });
  });

  test("when the draft was changed by somebody else: both are there", async () => {
    const page = await open();
    await isHeld(page);
    answer("tasks.editor", makeTask({ draft: draft(5, makeBox("theirs", [300, 300, 50, 50], { label_id: "1" })) }));
    refuse("tasks.saveDraft", { status: 409, detail: "Moved.", facts: { code: "draft_moved", version: 5 } });
    await drawBox(page);
    await expect.element(page.screen.getByRole("tab", { name: /Shapes/ })).toHaveTextContent("2");
    answer("tasks.saveDraft", ({ change: { n } }) => ({ version: 6, n }));
    await isHeld(page);
    expect(listInputs("tasks.saveDraft").at(-1)?.change).toMatchObject({ base: 5, n: 2 });
  });

  test("when the server went back to a backup: what it had is sent again", async () => {
    const page = await open();
    await isHeld(page);
    await drawBox(page);
    await expect.poll(() => listSaved()).toHaveLength(1);
    await isHeld(page);
    await page.screen.unmount();
    serve(makeTask());
    const again = await reopen();
    await expect.poll(() => listSaved()).toHaveLength(2);
    await isHeld(again);
    const sent = listInputs("tasks.saveDraft").map(({ change }) => change);
    expect(sent[1]).toMatchObject({ base: 0, n: 2, ops: sent[0]?.ops });
  });

  test("without a connection: it says how many changes are kept, and sends them when it is back", async () => {
    const page = await open();
    await isHeld(page);
    connect(false);
    await drawBox(page);
    await expect.element(page.screen.getByText("Offline, 1 change kept here").first()).toBeVisible();
    await expectGoodLooks();
    connect(true);
    dispatchEvent(new Event("online"));
    await isHeld(page);
    expect(listSaved()).toHaveLength(1);
  });

  test("when the session is over: people sign in over the stage, and it goes on", async () => {
    const page = await open();
    await isHeld(page);
    refuse("tasks.saveDraft", { status: 401, detail: "Authentication credentials were not provided." });
    await drawBox(page);
    await expect.element(page.screen.getByRole("dialog", { name: "Sign in again" })).toBeVisible();
    await expectGoodLooks();
    answer("tasks.saveDraft", ({ change: { n } }) => ({ version: 1, n }));
    dispatchEvent(new Event("focus"));
    await isHeld(page);
    await expect.element(page.screen.getByRole("dialog")).not.toBeInTheDocument();
  });

  test("where the browser stores nothing: each change is sent at once", async () => {
    vi.spyOn(indexedDB, "open").mockImplementation(() => {
      throw new DOMException("The user denied permission to access the database.", "SecurityError");
    });
    const page = await open();
    await expect.element(page.screen.getByText(/This browser keeps nothing \(The user denied/)).toBeVisible();
    await drawBox(page);
    await expect.poll(() => listSaved().length).toBe(1);
    await isHeld(page);
    await expectGoodLooks();
  });
});
