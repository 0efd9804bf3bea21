import { afterEach, beforeEach, expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs } from "@/components/testing/network";
import { sample } from "@/components/testing/sample";
import { MomentResource } from "@/server/features/moments/resource";
import {
  endTask,
  isHeld,
  makeItem,
  makeTask,
  open,
  reopen,
  second,
  serve,
  uid,
  type Opened,
} from "../testing/tasks-of-tests";

/** What lies beside a task: the frames of its recording, and the tasks before and after it. */

const itemNs = 1_770_000_002_000_000_000n;
const at = (ms: number) => String(itemNs + BigInt(ms) * 1_000_000n);

/** A camera with a frame each 600 ms, whose frame 600 ms after the item is another item. */
function serveFrames() {
  const present = new Map([
    [at(0), "rec/front/0.png"],
    [at(600), "rec/front/600.png"],
  ]);
  answer("items.ofTask", makeItem());
  answer("tasks.neighbours", ({ frames, around = at(0) }) => {
    if (frames !== true) return { before: null, after: second, recorded: null, refusal: null };
    const offset = Number((BigInt(around) - itemNs) / 1_000_000n);
    const list = (...steps: number[]) =>
      steps
        .map((step) => offset + step * 600)
        .filter((ms) => ms >= -1_200)
        .map((ms) => ({ t_ns: at(ms), item: present.get(at(ms)) ?? null }));
    const [center = { t_ns: around, item: null }] = list(0);
    const of = { recording: "rec_1", topic: "/front", dataset: uid, item_ns: at(0) };
    const recorded = { ...of, around: center, before: list(-2, -1), after: list(1, 2) };
    return { before: null, after: second, recorded, refusal: null };
  });
  return present;
}

const readBar = (screen: Opened["screen"]) =>
  screen.getByRole("group", { name: "Frame of the recording" }).getByRole("paragraph");

beforeEach(() => localStorage.clear());
afterEach(endTask);

test("the frames of the recording are looked at by keys, and one is added to the dataset", async () => {
  serve(makeTask());
  const present = serveFrames();
  const page = await reopen();
  await isHeld(page);
  const { screen, stage } = page;
  await expect.element(stage).toHaveAttribute("data-ready");
  stage.element().focus();
  await userEvent.keyboard("{Control>}.{/Control}");
  await expect.element(readBar(screen)).toHaveTextContent("Frame 600 ms after, in the dataset as 600.png");
  await expect.element(screen.getByRole("button", { name: "Add this frame" })).toHaveAttribute("aria-disabled", "true");
  await userEvent.keyboard("{Control>},,,{/Control}");
  await expect.element(readBar(screen)).toHaveTextContent("Frame 1.2 s before, not in the dataset");
  await expectGoodLooks();
  await userEvent.keyboard("{Control>},{/Control}");
  await expect.element(readBar(screen)).toHaveTextContent("The recording has no frame before this one.");

  answer("moments.add", { moment_uid: "mom", dataset_uid: uid, planned: 1, present: 0 });
  answer("moments.targets", []);
  answer("moments.get", () => {
    present.set(at(-1_200), "rec/front/-1200.png");
    return sample(MomentResource, { status: "done" });
  });
  await screen.getByRole("button", { name: "Add this frame" }).click();
  await expect.element(readBar(screen)).toHaveTextContent("Frame 1.2 s before, in the dataset as -1200.png");
  expect(listInputs("moments.add")).toMatchObject([
    { dataset: uid, recording_id: "rec_1", from: at(-1_200), to: at(-1_200), topics: ["/front"] },
  ]);
  await screen.getByRole("button", { name: "Back to the item" }).click();
  await expect.element(readBar(screen)).not.toBeInTheDocument();
  expect(listInputs("tasks.saveDraft")).toEqual([]);
});

test("whoever may not change anything adds no frame, and an item of no recording says that it has none", async () => {
  serve(makeTask());
  serveFrames();
  const { screen } = await reopen({ role: "member", readOnly: true });
  await screen.getByRole("tab", { name: "Where from" }).click();
  await screen.getByRole("button", { name: "Frame before" }).click();
  await expect.element(readBar(screen)).toHaveTextContent("Frame 600 ms before, not in the dataset");
  await expect.element(screen.getByRole("button", { name: "Add this frame" })).toHaveAttribute("aria-disabled", "true");
  await screen.unmount();

  serve(makeTask());
  answer("items.ofTask", makeItem({ source: { links: [], topic: null, t_ns: null } }));
  const refusal = "This item is no frame of a recording.";
  answer("tasks.neighbours", { before: null, after: null, recorded: null, refusal });
  const page = await open();
  answer("tasks.neighbours", { before: null, after: null, recorded: null, refusal });
  await page.screen.getByRole("tab", { name: "Where from" }).click();
  await expect.element(page.screen.getByRole("button", { name: "Frame before" })).toHaveAccessibleDescription(refusal);
  page.stage.element().focus();
  await userEvent.keyboard("{Control>},{/Control}");
  await expect.element(page.screen.getByText(refusal).last()).toBeVisible();
});

test("the tasks beside it are looked at without beginning them, and one is begun from there", async () => {
  serve(makeTask());
  serveFrames();
  const page = await reopen();
  await isHeld(page);
  const { screen } = page;
  await expect
    .element(screen.getByRole("button", { name: "Look at the task before" }))
    .toHaveAttribute("aria-disabled", "true");
  const next = makeTask({ task: { ...makeTask().task, uid: second }, place: { batch: 1, at: 15, of: 100 } });
  answer("tasks.editor", (input) => (input.uid === second ? next : makeTask()));
  answer("tasks.neighbours", { before: uid, after: null, recorded: null, refusal: null });
  await screen.getByRole("button", { name: "Look at the next task" }).click();
  await expect.element(screen.getByText("15/100")).toBeVisible();
  await expect.element(screen.getByText("You only look at this one.")).toBeVisible();
  expect(location.pathname + location.search).toBe(`/tasks/${second}?look=1`);
  expect(listInputs("tasks.open").map((input) => input.uid)).toEqual([uid]);
  await expect
    .element(screen.getByRole("button", { name: "Look at the next task" }))
    .toHaveAttribute("aria-disabled", "true");
  await expectGoodLooks();
  await screen.getByRole("button", { name: "Label it" }).click();
  await isHeld(page);
  expect(listInputs("tasks.open").map((input) => input.uid)).toEqual([uid, second]);
  expect(location.search).toBe("");
});
