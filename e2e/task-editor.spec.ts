import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { chromium, type APIRequestContext, type Locator, type Page } from "@playwright/test";
import { chromiumFlags } from "@/scripts/chromium.mjs";
import { openCameras, start } from "./camera-recording";
import { expect, live, lookFirst, lookOnce, signIn, test, unique, type Api } from "./fixtures";
import { openAsMember } from "./members";
import { makePictures } from "./pictures";

interface Made {
  project: { uid: string; name: string };
  /** In the order of their batch. */
  tasks: string[];
}

/** A project with two labels and a task for each of so many pictures. */
async function makeLabelling(request: APIRequestContext, api: Api, count: number): Promise<Made> {
  const names = Array.from({ length: count }, (_, each) => `front/crossing-${each}.png`);
  const dataset = await makePictures(api, request, { names });
  const project = await api.post<Made["project"]>("/projects/", {
    name: unique("crossings"),
    task_type: "image-annotation",
    datasets: [dataset.uid],
    labels: [
      { name: "robot", color: "#0891b2" },
      { name: "car", color: "#c2410c" },
    ],
  });
  await api.post(`/projects/${project.uid}/approve/`);
  const list = async () => (await api.get<{ results: { uid: string }[] }>(`/tasks/?project=${project.uid}`)).results;
  await expect.poll(async () => (await list()).length).toBe(count);
  const tasks = (await list()).map(({ uid }) => uid).toSorted();
  return { project, tasks };
}

const getStage = (page: Page): Locator => page.getByRole("application", { name: /^Picture/ });
const isSaved = (page: Page) => expect(page.getByText("Saved", { exact: true })).toBeVisible();

/** Draws a box at the crosshair by keys, of another size each time. */
async function drawBox(page: Page, at: number): Promise<void> {
  await page.keyboard.press("r");
  for (let step = 0; step <= at % 3; step++) await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("Space");
  for (let step = 0; step <= at; step++) await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("Space");
}

const getShapes = (page: Page): Locator => page.getByRole("option");

test("pictures are labelled by keys alone, from the list of tasks to the last one", async ({ page, api, request }) => {
  const { project, tasks } = await makeLabelling(request, api, 2);
  await page.goto(`/tasks?project=${project.uid}`);
  await live(page);
  await page.keyboard.press("Enter");
  await expect(getStage(page)).toBeVisible();
  await isSaved(page);
  for (const each of tasks.keys()) {
    await expect(page.getByText(`${each + 1}/2`)).toBeVisible();
    await expect(page.getByText("0:0", { exact: false })).toBeVisible();
    if (each === 0) {
      await page.keyboard.press("2");
      await getStage(page).focus();
      await drawBox(page, 1);
      // A tag of the whole picture would need another tool: a line is drawn in its place.
      await page.keyboard.press("l");
      await page.keyboard.press("Space");
      await page.keyboard.press("Shift+ArrowRight");
      await page.keyboard.press("Space");
      await page.keyboard.press("Enter");
      await expect(getShapes(page)).toHaveCount(2);
      // Tab goes from shape to shape and leaves the stage after the last.
      await page.keyboard.press("v");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Delete");
      await expect(getShapes(page)).toHaveCount(1);
      await page.keyboard.press("Control+z");
      await expect(getShapes(page)).toHaveCount(2);
      await page.keyboard.press("Tab");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Tab");
      await expect(getStage(page)).not.toBeFocused();
    } else {
      await getStage(page).focus();
      await drawBox(page, 2);
      await expect(getShapes(page)).toHaveCount(1);
    }
    await page.keyboard.press("Control+Enter");
  }
  await expect(page.getByRole("heading", { name: "All done" })).toBeVisible();
  const submitted = async (uid: string) =>
    (await api.get<{ results: { annotations: { label: string; type: string }[] }[] }>(`/tasks/${uid}/results/`))
      .results;
  const [first] = await submitted(tasks[0] ?? "");
  expect(first?.annotations.map(({ label, type }) => `${label} ${type}`).toSorted()).toEqual([
    "car bbox",
    "car polyline",
  ]);
  expect((await submitted(tasks[1] ?? ""))[0]?.annotations).toHaveLength(1);
});

test("the next picture is there when a task is submitted: it was fetched ahead, once", async ({
  page,
  api,
  request,
}) => {
  const { project } = await makeLabelling(request, api, 3);
  await page.goto(`/tasks?project=${project.uid}`);
  await live(page);
  await page.keyboard.press("Enter");
  await isSaved(page);
  // Scripts alone may fill the list of the browser.
  await page.evaluate(() => performance.setResourceTimingBufferSize(5_000));
  const { results } = await api.get<{ results: { dataset_item: string; uid: string }[] }>(
    `/tasks/?project=${project.uid}`,
  );
  const [, second = "", third = ""] = results
    .toSorted((a, b) => (a.uid < b.uid ? -1 : 1))
    .map((task) => task.dataset_item);
  const countFetches = (item: string) =>
    page.evaluate(
      (path) =>
        performance
          .getEntriesByType("resource")
          .filter(
            (each) => each.name.endsWith(path) && each instanceof PerformanceResourceTiming && each.transferSize > 0,
          ).length,
      `/media/items/${item}/data`,
    );
  await expect.poll(() => countFetches(second)).toBe(1);
  expect(await countFetches(third)).toBe(0);
  await page.keyboard.press("Control+Enter");
  await expect(page.getByText("2/3")).toBeVisible();
  await expect(page.locator("img[data-ready]")).toHaveAttribute("src", `/media/items/${second}/data`);
  await expect.poll(() => countFetches(third)).toBe(1);
  expect(await countFetches(second)).toBe(1);
});

test("the recording's own frames are looked at beside the item, and one is added", async ({ page, api, request }) => {
  const recording = await openCameras(api, request, ["/front"]);
  const dataset = await api.post<{ uid: string; owner_name: string; slug: string }>("/datasets/", {
    name: unique("yard"),
  });
  const path = `/datasets/${dataset.owner_name}/${dataset.slug}`;
  const at = String(start + 2_000_000_000n);
  await api.post(`${path}/moments/`, { recording_id: recording, from: at, to: at, topics: ["/front"] });
  const listItems = async () =>
    (await api.get<{ results: { metadata: { format?: string } }[] }>(`${path}/items/`)).results.filter(
      ({ metadata }) => metadata.format,
    );
  await expect.poll(async () => (await listItems()).length).toBe(1);
  const project = await api.post<Made["project"]>("/projects/", {
    name: unique("crossings"),
    task_type: "image-annotation",
    datasets: [dataset.uid],
    labels: [{ name: "robot", color: "#0891b2" }],
  });
  await api.post(`/projects/${project.uid}/approve/`);
  const listTasks = async () =>
    (await api.get<{ results: { uid: string }[] }>(`/tasks/?project=${project.uid}`)).results.map(({ uid }) => uid);
  await expect.poll(async () => (await listTasks()).length).toBe(1);
  const [task = ""] = await listTasks();
  await page.goto(`/tasks/${task}`);
  await isSaved(page);
  await getStage(page).focus();
  await page.keyboard.press("Control+Comma");
  await page.keyboard.press("Control+Comma");
  const bar = page.getByRole("group", { name: "Frame of the recording" });
  await expect(bar.getByText("Frame 200 ms before, not in the dataset")).toBeVisible();
  await expect(page.locator("img[data-ready][src*='/media/stages/']")).toBeVisible();
  await lookOnce(page);
  await bar.getByRole("button", { name: "Add this frame" }).click();
  await expect(bar.getByText(/^Frame 200 ms before, in the dataset as/)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(bar).toBeHidden();
  await expect.poll(async () => (await listTasks()).length).toBe(2);
  // Both are shown beside each other, without beginning the other one.
  await page.getByRole("button", { name: "Look at the next task" }).click();
  await expect(page.getByText("You only look at this one.")).toBeVisible();
  await lookOnce(page);
  await page.getByRole("button", { name: "Label it" }).click();
  await isSaved(page);
});

test("the page looks well, and a second tab takes the work over and gives it back", async ({
  page,
  context,
  api,
  request,
}) => {
  const { tasks } = await makeLabelling(request, api, 1);
  const address = `/tasks/${tasks[0] ?? ""}`;
  await lookFirst(page, async () => {
    await page.goto(address);
    await isSaved(page);
  });
  await getStage(page).focus();
  await drawBox(page, 0);
  await isSaved(page);
  await page.getByRole("tab", { name: "Where from" }).click();
  await expect(page.getByText("It was uploaded", { exact: false })).toBeVisible();
  await lookOnce(page);
  await page.getByRole("tab", { name: "Shapes" }).click();
  const other = await context.newPage();
  await other.goto(address);
  await expect(other.getByText("You work on this in another tab.")).toBeVisible();
  await expect(getShapes(other)).toHaveCount(1);
  await other.getByRole("button", { name: "Take over" }).click();
  await isSaved(other);
  await expect(page.getByText("You work on this in another tab.")).toBeVisible();
  await getStage(other).focus();
  await drawBox(other, 1);
  await expect(getShapes(other)).toHaveCount(2);
  // The first one goes on when the second is closed, with what that drew.
  await other.close();
  await isSaved(page);
  await expect(getShapes(page)).toHaveCount(2);
  await getStage(page).focus();
  await drawBox(page, 2);
  await isSaved(page);
  await page.reload();
  await isSaved(page);
  await expect(getShapes(page)).toHaveCount(3);
});

test("whoever comes second waits or sees who has it, and whoever looks on changes nothing", async ({
  page,
  browser,
  api,
  request,
  person,
}) => {
  const { tasks } = await makeLabelling(request, api, 1);
  const address = `/tasks/${tasks[0] ?? ""}`;
  await page.goto(address);
  await isSaved(page);
  await getStage(page).focus();
  await drawBox(page, 0);
  await isSaved(page);
  const [me] = person.email.split("@");
  const member = await openAsMember(browser, request, api);
  await member.goto(address);
  await expect(member.getByText(new RegExp(`works on this|Assigned to ${me ?? ""}`))).toBeVisible();
  await expect(getShapes(member)).toHaveCount(1);
  await member.context().close();
  const viewer = await openAsMember(browser, request, api, true);
  await viewer.goto(address);
  await expect(viewer.getByRole("button", { name: "Box", exact: true })).toHaveAttribute("aria-disabled", "true");
  await viewer.context().close();
});

test("offline, and signed out meanwhile, what is drawn is kept and sent later", async ({
  page,
  context,
  api,
  request,
  person,
  faults,
}) => {
  faults.expect(/Failed to load resource|ERR_INTERNET_DISCONNECTED|WebSocket|EventSource/);
  const { tasks } = await makeLabelling(request, api, 1);
  await page.goto(`/tasks/${tasks[0] ?? ""}`);
  await isSaved(page);
  await getStage(page).focus();
  await context.setOffline(true);
  await drawBox(page, 0);
  await expect(page.locator("p", { hasText: "Offline, 1 change kept here" })).toBeVisible();
  await context.setOffline(false);
  await isSaved(page);
  await context.clearCookies();
  await drawBox(page, 1);
  const dialog = page.getByRole("dialog", { name: "Sign in again" });
  await expect(dialog).toBeVisible();
  await dialog.getByLabel("E-mail").fill(person.email);
  await dialog.getByLabel("Password").fill(person.password);
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await expect(dialog).toBeHidden();
  await isSaved(page);
  const draft = await api.get<{ shapes: unknown[] }>(`/tasks/${tasks[0] ?? ""}/draft/`);
  expect(draft.shapes).toHaveLength(2);
});

/** How often the browser is killed while somebody draws. */
const kills = Number(process.env.MUSTER_BROWSER_KILLS ?? (process.env.MUSTER_TEST_CASES === "all" ? 100 : 10));

test(`a browser that is killed ${kills} times while somebody draws has lost no finished shape`, async ({
  api,
  request,
  context: signedIn,
  person,
  baseURL,
}) => {
  test.setTimeout(120_000 + kills * 30_000);
  const { tasks } = await makeLabelling(request, api, 1);
  await signIn(signedIn, person);
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), "muster-killed-"));
  const executable = process.env.CHROMIUM_PATH || "/usr/bin/chromium";
  const flags = ["--headless", `--user-data-dir=${profile}`, "--remote-debugging-port=0", "about:blank"];

  /** Starts a browser of its own on the same profile, which nothing but a signal ends. */
  async function start() {
    fs.rmSync(path.join(profile, "DevToolsActivePort"), { force: true });
    const child = spawn(executable, [...chromiumFlags, ...flags], { detached: true, stdio: "ignore" });
    const readPort = () => {
      try {
        return fs.readFileSync(path.join(profile, "DevToolsActivePort"), "utf8").split("\n")[0] ?? "";
      } catch {
        return "";
      }
    };
    await expect.poll(readPort).toMatch(/^\d+$/);
    const browser = await chromium.connectOverCDP(`http://127.0.0.1:${readPort()}`);
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    const kill = async () => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      await ended;
      await browser.close().catch(() => {});
    };
    const [context] = browser.contexts();
    if (!context) throw new Error("the browser has no context");
    return { context, kill };
  }

  let finished = 0;
  try {
    for (let round = 0; round <= kills; round++) {
      const { context, kill } = await start();
      await context.addCookies(await signedIn.cookies());
      const page = await context.newPage();
      await page.goto(`${baseURL ?? ""}/tasks/${tasks[0] ?? ""}`);
      const takeOver = page.getByRole("button", { name: "Take over" });
      await expect(page.getByText("Saved", { exact: true }).or(takeOver)).toBeVisible();
      // A browser that was killed before the token of its lease was on the disk counts as another one.
      if (await takeOver.isVisible()) await takeOver.click();
      await isSaved(page);
      const [counted] = await page.getByRole("tab", { name: /^Shapes/ }).allInnerTexts();
      expect(Number(/\d+/.exec(counted ?? "")?.[0])).toBe(finished);
      if (round < kills) {
        await getStage(page).focus();
        // Some are sent, some are only stored, and one is under construction.
        for (let drawn = 0; drawn < 1 + (round % 3); drawn++) {
          await drawBox(page, drawn);
          finished += 1;
        }
        await expect(page.locator("[data-stored]")).toHaveAttribute("data-stored", String(1 + (round % 3)));
        await page.keyboard.press("p");
        await page.keyboard.press("Space");
      }
      await kill();
    }
  } finally {
    fs.rmSync(profile, { recursive: true, force: true });
  }
});
