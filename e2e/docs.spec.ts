import { guideHref, guideNames, guides } from "@/domain/docs/guides";
import { share } from "@/server/testing/generated-cases";
import { axeComplaints } from "./axe";
import {
  checkAxe,
  expect,
  expectNoLayoutShift,
  expectNoPageScroll,
  inEveryLook,
  live,
  test,
  visitors,
  widths,
} from "./fixtures";

visitors.describe("the documentation, without a session", () => {
  visitors("the index lists every guide, and its search finds headings", async ({ page }) => {
    await inEveryLook(page, async () => {
      await page.goto("/docs");
      await expect(page.getByRole("main").getByRole("listitem")).toHaveCount(guideNames.length);
    });
    await page.getByLabel("Search guides").fill("verifying message");
    await expect(page.getByRole("status").filter({ hasText: "1 guide" })).toBeVisible();
    expect(await axeComplaints(page, "all", "main")).toEqual([]);
    await page.getByRole("link", { name: "Verifying a message" }).click();
    await page.waitForURL("**/docs/webhooks#verifying-a-message");
    await expect(page.getByRole("heading", { name: "Verifying a message" })).toBeInViewport();
  });

  visitors("every guide fits every width and can be read by everybody", async ({ page }) => {
    for (const name of share(guideNames)) {
      await visitors.step(name, async () => {
        await page.setViewportSize(widths.desk);
        await page.goto(guideHref(name));
        await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
        await expectNoLayoutShift(page);
        // They have the colours of the guide below. One table repeats the same cells three hundred times, which takes
        // axe too long.
        if (name !== "roles") await checkAxe(page, "structure");
        for (const size of Object.values(widths)) {
          await page.setViewportSize(size);
          await expectNoPageScroll(page);
        }
        await expect(page).toHaveTitle(`${guides[name].title} · Muster`);
      });
    }
  });

  visitors("a guide with everything fits every width, in both themes", async ({ page }) => {
    await inEveryLook(page, async () => {
      await page.goto(guideHref("webhooks"));
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    });
  });

  visitors("examples name this Muster, and links between guides stay in the product", async ({ page, baseURL }) => {
    await page.goto(guideHref("first-steps"));
    await expect(page.getByText(`MUSTER=${baseURL}`)).toBeVisible();
    await page.getByRole("article").getByRole("link", { name: "devices and tokens" }).click();
    await page.waitForURL("**/docs/devices");
    await page.getByRole("banner").getByRole("link", { name: "API reference" }).click();
    await page.waitForURL("**/docs/api");
  });

  visitors("tables of a guide show their rows as blocks on a phone, and stay tables", async ({ page }) => {
    await page.setViewportSize(widths.phone);
    await page.goto("/docs/webhooks");
    const table = page.getByRole("article").getByRole("group", { name: "Table" }).first();
    expect(await table.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
    const row = table.getByRole("row").filter({ hasText: "Alert channels" });
    await expect(row.getByRole("cell")).toHaveCount(3);
    const said = row.getByRole("cell").last();
    expect(await said.evaluate((cell) => getComputedStyle(cell, "::before").content)).toBe('"sends"');
    await expect(said).toBeInViewport();
    // Of however many columns.
    await page.goto("/docs/rules");
    const wide = page.getByRole("article").locator("tr:has(td:nth-child(9))").first().getByRole("cell").last();
    expect(await wide.evaluate((cell) => getComputedStyle(cell, "::before").content)).toMatch(/^".+"$/);
  });

  visitors("a guide that does not exist is a 404", async ({ request }) => {
    expect((await request.get("/docs/none")).status()).toBe(404);
  });

  visitors("every guide has less than 350 kB", async ({ request }) => {
    for (const name of guideNames) {
      const html = await (await request.get(guideHref(name))).text();
      expect(html.length, name).toBeLessThan(350_000);
    }
  });
});

test("the rail and a list without rows lead to the guides", async ({ page }) => {
  await page.goto("/rules");
  await live(page);
  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await page.waitForURL("**/docs");
  await page.goto("/devices");
  await page.getByRole("link", { name: "Read the guide" }).click();
  await page.waitForURL("**/docs/devices");
});
