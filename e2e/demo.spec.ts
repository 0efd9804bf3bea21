import { expect, heartbeat, inEveryLook, live, registerDevice, reload, test } from "./fixtures";

test("Demo, Yours or Both holds on every page, is remembered, and is Yours once an own device reports", async ({
  api,
  request,
  page,
}) => {
  await registerDevice(api, { name: "Demo arm", demo: true });
  const row = (name: string) => page.getByRole("row", { name });
  await page.goto("/devices");
  await live(page);
  await expect(page.getByRole("radio", { name: "Both" })).toBeChecked();
  const own = await registerDevice(api, { name: "Own arm" });
  await reload(page);
  await live(page);
  await expect(row("Own arm")).toBeVisible();
  await expect(row("Demo arm")).toBeVisible();

  // The first heartbeat arrives while the page is open.
  await heartbeat(request, own);
  await expect(page.getByRole("radio", { name: "Yours" })).toBeChecked();
  await expect(row("Demo arm")).toBeHidden();
  await page.getByRole("radio", { name: "Demo" }).click();
  await expect(page).toHaveURL(/demo=demo/);
  await expect(row("Demo arm")).toBeVisible();
  await expect(row("Own arm")).toBeHidden();

  // A link that is followed keeps it in the address.
  await page.getByRole("navigation").getByRole("link", { name: "Events" }).first().click();
  await expect(page).toHaveURL(/\/events\?demo=demo/);

  // The server renders what was chosen, so that the browser asks for nothing of its own.
  const asked: string[] = [];
  page.on("request", (sent) => asked.push(sent.url()));
  await page.goto("/rules");
  await live(page);
  await expect(page.getByRole("radio", { name: "Demo" })).toBeChecked();
  await expect(page.getByRole("heading", { name: "No rules yet" })).toBeVisible();
  expect(asked.filter((url) => url.includes("rules.list"))).toEqual([]);
  await page.goto("/overview");
  await live(page);
  await expect(page.getByRole("radio", { name: "Demo" })).toBeChecked();
  await page.getByRole("radio", { name: "Yours" }).click();
  const banner = page.getByRole("region", { name: "Demo fleet" });
  await expect(banner).toContainText("no count and no list includes them");
});

test("the demo's banner and first steps stay on a line each, in every theme and width", async ({ api, page }) => {
  await registerDevice(api, { name: "Demo arm", demo: true });
  await inEveryLook(page, async () => {
    await page.goto("/overview");
    await live(page);
    const banner = page.getByRole("region", { name: "Demo fleet" });
    await expect(banner).toBeVisible();
    await expect(page.getByRole("region", { name: "First steps" })).toBeVisible();
    // The figures take the place of what stands there while they load.
    await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
    // What grows while the demo is made lies below its buttons.
    const figures = page.getByRole("heading", { name: "Open alerts", exact: true });
    const [at, below] = await Promise.all([banner.boundingBox(), figures.first().boundingBox()]);
    expect(at!.y).toBeLessThan(below!.y);
  });
});

interface Named {
  uid: string;
  name: string;
  demo: boolean;
}

test("the demo sends to its own receiver, has decisions of an agent, and goes as a whole @full", async ({
  api,
  page,
}) => {
  test.setTimeout(240_000);
  await api.post("/fleet/demo/", { quick: true });
  const state = async () => (await api.get<{ state: string }>("/fleet/demo/")).state;
  await expect.poll(state, { timeout: 200_000 }).toBe("ready");
  const list = async <Row = Named>(path: string) => (await api.get<{ results: Row[] }>(path)).results;
  const [agent] = await list("/agents/");
  await expect
    .poll(async () => {
      const executions = await list<{ status: string }>(`/agents/${agent?.uid}/executions/`);
      return [...new Set(executions.map(({ status }) => status))].sort();
    })
    .toEqual(["completed", "running", "timed_out"]);
  await expect
    .poll(async () => {
      const sent = await list<{ status: string; response_status: number | null }>("/webhook-deliveries/");
      return sent.filter(({ status }) => status !== "delivered").map(({ response_status: status }) => status);
    })
    .toEqual([422]);

  await page.goto("/settings/channels");
  await live(page);
  await expect(page.getByRole("row", { name: "Demo control room" })).toContainText("Demo");

  // The first steps and the rule's own page suggest the same threshold.
  await page.goto("/overview");
  await live(page);
  const steps = page.getByRole("region", { name: "First steps" });
  await steps.getByRole("button", { name: "All steps" }).click();
  const edit = steps.getByRole("link", { name: /Edit a threshold/ });
  await expect(edit).toHaveAccessibleName(/“Motor warm” raised \d+ alerts; try \d+/);
  const [, suggested = ""] = /try (\S+)\.$/.exec((await edit.textContent()) ?? "") ?? [];
  const rule = (await edit.getAttribute("href"))?.replace(/\/edit$/, "");
  await page.goto(`${rule}?tab=noise`);
  await expect(page.getByRole("heading", { name: `Try ${suggested}`, exact: true })).toBeVisible();

  await page.goto("/overview");
  await live(page);
  await page.getByRole("button", { name: "Remove demo" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove demo" }).click();
  await expect(page.getByRole("button", { name: "Explore demo fleet" })).toBeVisible();
  for (const path of ["/agents/", "/webhooks/", "/webhook-deliveries/", "/exports/", "/datasets/"])
    await expect.poll(() => list(path), { message: path }).toEqual([]);
});
