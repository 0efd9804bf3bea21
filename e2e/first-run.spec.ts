import { Client } from "pg";
import { expect, inEveryLook, live, test, reload, visitors } from "./fixtures";
import { databaseUrl, startWeb } from "./web-process";

visitors(
  "an installation without an account opens the sign-up, with one the sign-in",
  async ({ page, request }, info) => {
    const name = `first_account_${process.pid}`;
    const server = new Client({ connectionString: databaseUrl() });
    await server.connect();
    await server.query(`create database ${name}`);
    const empty = new URL(databaseUrl());
    empty.pathname = name;
    const web = await startWeb({ DATABASE_URL: empty.href, DATA_DIR: info.outputPath("data"), MIGRATIONS: "apply" });
    try {
      for (const at of ["/", "/login", "/devices"]) {
        await page.goto(`${web.origin}${at}`);
        await expect(page).toHaveURL(/\/signup\?next=/);
        await expect(page.getByRole("heading", { name: "Create your account" })).toBeVisible();
        // It would lead back here.
        await expect(page.getByRole("link", { name: "Sign in" })).toHaveCount(0);
      }
      const account = { email: "ada@example.com", password: "a password for tests" };
      expect((await request.post(`${web.origin}/api/v1/signup/`, { data: account })).status()).toBe(201);
      for (const at of ["/", "/login"]) {
        await page.goto(`${web.origin}${at}`);
        await expect(page).toHaveURL(/\/login/);
      }
    } finally {
      await web.stop();
      await server.query(`drop database ${name} with (force)`);
      await server.end();
    }
  },
);

test("a new organization is offered three ways to start, in every theme and width", async ({ page }) => {
  await inEveryLook(page, async () => {
    await page.goto("/overview");
    await live(page);
    await expect(page.getByRole("button", { name: "Explore demo fleet" })).toBeVisible();
    await expect(page.getByRole("link", { name: "Register a device" })).toHaveAttribute("href", "/devices?register=1");
    await expect(page.getByRole("link", { name: "Upload a recording" })).toHaveAttribute(
      "href",
      "/recordings?upload=1",
    );
  });
});

test("the demo fleet shows an alert while it is still made, and one press removes all of it", async ({ api, page }) => {
  await page.goto("/overview");
  await live(page);
  await page.getByRole("button", { name: "Explore demo fleet" }).click();
  await expect(page.getByRole("link", { name: "See the first alert" })).toBeVisible();
  const progress = page.getByRole("progressbar", { name: "Creating the demo fleet" });
  await expect(progress).toHaveAttribute("aria-valuenow", /^[1-9]\d/);
  await page.getByRole("button", { name: "Remove demo" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove demo" }).click();
  await expect(page.getByRole("button", { name: "Explore demo fleet" })).toBeVisible();
  expect((await api.get<{ results: unknown[] }>("/fleet/devices/")).results).toEqual([]);
});

test("the first steps stay dismissed, and return on undo", async ({ api, page }) => {
  await api.post("/fleet/devices/", { name: "arm-01" });
  await page.goto("/overview");
  await live(page);
  const steps = page.getByRole("heading", { name: "First steps" });
  await page.getByRole("button", { name: "Dismiss the first steps" }).click();
  await expect(steps).toBeHidden();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(steps).toBeVisible();
  await page.getByRole("button", { name: "Dismiss the first steps" }).click();
  await expect(steps).toBeHidden();
  await reload(page);
  await live(page);
  await expect(page.getByRole("heading", { name: "Fleet" })).toBeVisible();
  await expect(steps).toBeHidden();
});

test("the first steps take one line with the next one, and show all of them on request", async ({ api, page }) => {
  await api.post("/fleet/devices/", { name: "arm-01" });
  await page.goto("/overview");
  await live(page);
  const steps = page.getByRole("region", { name: "First steps" });
  expect((await steps.boundingBox())?.height).toBeLessThan(48);
  await expect(steps.getByRole("link", { name: /^Next: / })).toBeVisible();
  await steps.getByRole("button", { name: "All steps" }).click();
  await expect(steps.getByRole("listitem")).toHaveCount(6);
  await steps.getByRole("button", { name: "Hide steps" }).click();
  await expect(steps.getByRole("listitem")).toHaveCount(0);
});
