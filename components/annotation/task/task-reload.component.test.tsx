import { afterEach, beforeEach, expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { answer, refuse } from "@/components/testing/network";
import { completeLabels } from "@/domain/projects/label-schema";
import {
  draft,
  drawBox,
  endTask,
  isHeld,
  labels,
  listSaved,
  makeProject,
  makeTask,
  open,
  type Opened,
  otherProject,
  reopen,
  serve,
} from "../testing/tasks-of-tests";

beforeEach(() => localStorage.clear());
afterEach(endTask);

test("a project opens with the tool that its first label needs, and later with what was used last in it", async () => {
  const polygons = completeLabels([
    { name: "sign", color: "#7c3aed", retired: true, types: ["bbox"] },
    { name: "lane", color: "#0891b2", types: ["polygon"] },
    { name: "cart", color: "#c2410c", types: ["bbox"] },
  ]);
  const task = makeTask();
  const found = { ...task, project: { ...task.project, labels: polygons } };
  const isInHand = ({ screen }: Opened, tool: string) =>
    expect.element(screen.getByRole("button", { name: tool, exact: true })).toHaveAttribute("aria-pressed", "true");
  serve(found);
  answer("projects.overviewOf", makeProject({ labels: polygons }));
  const first = await reopen();
  await isInHand(first, "Polygon");
  await isHeld(first);
  await userEvent.keyboard("r2");
  await isInHand(first, "Box");
  await first.screen.unmount();
  const second = await reopen();
  await isInHand(second, "Box");
  await expect.element(second.screen.getByRole("button", { name: "cart" })).toHaveAttribute("aria-pressed", "true");
  await second.screen.unmount();
  answer("tasks.editor", { ...found, project: { ...found.project, uid: otherProject, labels } });
  answer("projects.overviewOf", makeProject({ uid: otherProject }));
  const other = await reopen();
  await isInHand(other, "Box");
  await other.screen.unmount();
  const reading = await reopen({ role: "member", readOnly: true });
  await isInHand(reading, "Select");
});

test("a reload goes on with the points of an unfinished shape, and takes back what was drawn before", async () => {
  const page = await open();
  await isHeld(page);
  await drawBox(page);
  await expect.poll(() => listSaved()).toHaveLength(1);
  await userEvent.keyboard("p {ArrowRight} ");
  await expect.element(page.screen.getByText("Saved", { exact: true })).toBeVisible();
  await page.screen.unmount();
  const saved = listSaved()[0];
  if (saved?.op !== "put") throw new Error("nothing was saved");
  answer("tasks.editor", makeTask({ draft: draft(1, { attributes: {}, ...saved.shape }) }));
  const again = await reopen();
  await isHeld(again);
  await expect
    .element(again.screen.getByRole("button", { name: "Polygon", exact: true }))
    .toHaveAttribute("aria-pressed", "true");
  await expect.element(again.screen.getByRole("option")).toBeVisible();
  again.stage.element().focus();
  // Two points, then the box.
  await userEvent.keyboard("{Control>}zzz{/Control}");
  await expect.element(again.screen.getByRole("option")).not.toBeInTheDocument();
});

test("a reload goes on with what the server does not have yet", async () => {
  const page = await open();
  await isHeld(page);
  refuse("tasks.saveDraft", { status: 503, detail: "Wait.", retry_after_seconds: 600 });
  await drawBox(page);
  await expect.element(page.screen.getByText(/Saved here|Not saved on the server/)).toBeVisible();
  await page.screen.unmount();
  serve(makeTask());
  const again = await reopen();
  await expect.element(again.screen.getByRole("option")).toHaveAccessibleName(/^Box, forklift/);
  await expect.poll(() => listSaved().length).toBeGreaterThan(0);
  await isHeld(again);
});
