import fs from "node:fs";
import path from "node:path";
import { makeDemo } from "@/cli/demo";
import {
  checkAxe,
  createApi,
  expect,
  expectNoLayoutShift,
  expectNoPageScroll,
  live,
  signIn,
  signUp,
  themes,
  useTheme,
  visitors,
  widths,
  type Api,
} from "./fixtures";
import { makeReadmePictures } from "./readme-pictures";
import { makeScreenObjects } from "./screen-objects";
import { listScreens } from "./screens";

const folder = path.resolve(import.meta.dirname, "../screenshots");

/** Waits until queries read that many recordings: signals are written after everything else. */
async function awaitSignals(api: Api, recordings: number): Promise<void> {
  const sql = 'select count(distinct recording_id) from "/motor/state"';
  const readCount = () =>
    api.post<{ rows: unknown[][] }>("/fleet/signals/query/", { sql }).then(
      ({ rows }) => rows[0]?.[0],
      () => 0,
    );
  await expect.poll(readCount, { timeout: 120_000, intervals: [1_000] }).toBeGreaterThanOrEqual(recordings);
}

/**
 * Every screen with the demo fleet, light and dark, wide and narrow, into screenshots/. Their looks are for people to
 * judge; what can be measured (axe, scrolling sideways, layout shift, faults) is reported of all screens at the end.
 */
visitors("pictures of every screen", async ({ page, request, browser, baseURL, faults }) => {
  visitors.setTimeout(40 * 60_000);
  fs.rmSync(folder, { recursive: true, force: true });
  const complaints: string[] = [];
  const wanted = process.env.SCREENS?.split(",");
  const picture = async (name: string, at: string, waitUntilReady: () => Promise<void>) => {
    if (wanted && !wanted.includes(name)) return;
    for (const [width, size] of Object.entries(widths)) {
      await page.setViewportSize(size);
      await useTheme(page.context(), "light");
      await page.goto(at);
      await waitUntilReady();
      const measure = (check: () => Promise<void>) =>
        check().catch((error: unknown) => complaints.push(`${name}, ${width}: ${String(error)}`));
      await measure(() => expectNoPageScroll(page));
      await measure(() => expectNoLayoutShift(page));
      for (const theme of themes) {
        await page.evaluate((chosen) => (document.documentElement.dataset.theme = chosen), theme);
        // oxlint-disable-next-line no-restricted-properties -- animations end in this time
        await page.waitForTimeout(300);
        await page.screenshot({ path: path.join(folder, `${name}-${width}-${theme}.png`) });
        await measure(() => checkAxe(page, theme === "light" ? "all" : "colour"));
      }
    }
    // The browser tells of the answer of a page that does not exist.
    const others = faults.all.splice(0).filter((fault) => name !== "not-found" || !fault.includes("404"));
    for (const fault of others) complaints.push(`${name}: ${fault}`);
    process.stdout.write(`${name}\n`);
  };
  const still = async () => {
    await page.waitForLoadState("load");
    // oxlint-disable-next-line no-restricted-properties -- animations end in this time
    await page.waitForTimeout(300);
  };
  for (const name of ["login", "signup"]) await picture(name, `/${name}`, still);

  const newPerson = await signUp(request, "Harbour Robotics");
  await signIn(page.context(), newPerson);
  await picture("first-run", "/overview", still);

  const person = await signUp(request, "Northwind Robotics");
  const { processed } = await makeDemo({
    url: baseURL ?? "",
    key: person.key,
    quick: false,
    print: (line) => process.stdout.write(`${line}\n`),
  });
  await page.context().clearCookies();
  await signIn(page.context(), person);
  const api = createApi(request, person);
  if (!wanted || wanted.includes("readme")) await makeReadmePictures(browser, api, person);
  const { close } = await makeScreenObjects(api, request, person.organizationName);
  for (const screen of await listScreens(api)) {
    await picture(screen.name, screen.path, async () => {
      if (!screen.path.startsWith("/docs")) await live(page);
      if (screen.path.startsWith("/sql")) await awaitSignals(api, processed);
      if (screen.press) await page.getByRole("button", { name: screen.press, exact: true }).click();
      await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
      // oxlint-disable-next-line no-restricted-properties -- animations end in this time
      await page.waitForTimeout(700);
    });
  }
  await close();
  expect(complaints).toEqual([]);
});
