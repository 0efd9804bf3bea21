import type { Page } from "@playwright/test";
import { back, checkAxe, expect, live, test } from "./fixtures";

/** Creates a webhook by its page, which then shows the secret once. */
async function createWebhook(page: Page): Promise<void> {
  await page.goto("/webhooks");
  await live(page);
  await page.keyboard.press("n");
  await page.getByRole("textbox", { name: "URL" }).fill("http://127.0.0.1:48999/hook");
  await page.getByRole("checkbox", { name: "dataset.created" }).click();
  await page.getByRole("button", { name: "Create webhook" }).click();
  await expect(page.getByLabel("Signing secret", { exact: true })).toContainText("whsec_");
}

test("a secret that is shown once is not left by a link, a shortcut, the palette or Back without a question", async ({
  page,
}) => {
  await createWebhook(page);
  const secret = await page.getByLabel("Signing secret", { exact: true }).textContent();
  const question = page.getByRole("dialog", { name: "Leave without storing the secret?" });
  const stay = async () => {
    await expect(question).toBeVisible();
    await question.getByRole("button", { name: "Cancel" }).click();
    await expect(question).toBeHidden();
    await expect(page.getByLabel("Signing secret", { exact: true })).toHaveText(secret ?? "");
  };
  await page.getByRole("link", { name: "Devices", exact: true }).click();
  await checkAxe(page);
  await stay();
  await page.keyboard.press("g");
  await page.keyboard.press("d");
  await stay();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search and commands" }).fill("audit");
  await page.keyboard.press("Enter");
  await stay();
  await back(page);
  await stay();
  await back(page);
  await question.getByRole("button", { name: "Leave", exact: true }).click();
  await expect(page).toHaveURL(/\/webhooks$/);
});

test("a secret that was stored is left without a question, and Back leads to the list at once", async ({ page }) => {
  await createWebhook(page);
  await page.getByRole("checkbox", { name: "I stored it" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByText("Stored. It is not shown again")).toBeVisible();
  await back(page);
  await expect(page).toHaveURL(/\/webhooks$/);
  await expect(page.getByRole("dialog")).toHaveCount(0);
});
