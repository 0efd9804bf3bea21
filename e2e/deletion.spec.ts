import type { Page } from "@playwright/test";
import { expect, inEveryLook, signIn, signUp, test, unique, visitors, type Person } from "./fixtures";

async function deleteOrganization(page: Page, name: string): Promise<void> {
  await page.goto("/settings/organization");
  await page.getByRole("button", { name: "Delete organization" }).click();
  const dialog = page.getByRole("dialog");
  const confirm = dialog.getByRole("button", { name: "Delete organization" });
  await expect(confirm).toBeDisabled();
  await dialog.getByRole("textbox").fill(name);
  await confirm.click();
  await page.waitForURL("**/organizations");
}

visitors.describe("an owner", () => {
  let person: Person;
  visitors.beforeEach(async ({ request, context }) => {
    person = await signUp(request, unique("Depot"));
    await signIn(context, person);
  });

  visitors("deletes their organization and takes that back", async ({ page, request }) => {
    await deleteOrganization(page, person.organizationName);
    await expect(page.getByText("You are in no organization now")).toBeVisible();
    const headers = { "x-service-api-key": person.key };
    expect((await request.get("/api/v1/fleet/devices/", { headers })).status()).toBe(401);
    // Every page of the dashboard leads here.
    await page.goto("/devices");
    await page.waitForURL("**/organizations");
    await inEveryLook(page, async () => {
      await page.goto("/organizations");
      await expect(page.getByRole("list", { name: "Organizations being deleted" })).toBeVisible();
    });
    await page.getByRole("button", { name: `Take back the deletion of ${person.organizationName}` }).click();
    await page.waitForURL("**/overview");
    await expect(page.getByRole("button", { name: `Organization: ${person.organizationName}` })).toBeVisible();
    expect((await request.get("/api/v1/fleet/devices/", { headers })).status()).toBe(200);
  });

  visitors(
    "deletes their account once nothing is theirs, and cannot sign in any more @full",
    async ({ page, faults }) => {
      await page.goto("/settings/profile");
      const deleteAccount = page.getByRole("button", { name: "Delete account" });
      await expect(deleteAccount).toHaveAttribute("aria-disabled", "true");
      await deleteOrganization(page, person.organizationName);
      await deleteAccount.click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel(/to confirm$/).fill(person.email);
      await dialog.getByLabel("Password").fill(person.password);
      await dialog.getByRole("button", { name: "Delete account" }).click();
      await page.waitForURL("**/login");
      await page.getByLabel("E-mail").fill(person.email);
      await page.getByLabel("Password").fill(person.password);
      faults.expect(/401/);
      await page.getByRole("button", { name: "Sign in" }).click();
      await expect(page.getByText("do not match an account")).toBeVisible();
    },
  );
});

test("an owner in another organization takes a deletion back in their profile @full", async ({
  page,
  person,
  api,
  baseURL,
}) => {
  const name = unique("Second");
  const { slug } = await api.post<{ slug: string }>("/organizations/", { name });
  await page.context().addCookies([{ name: "muster-organization", value: slug, url: baseURL ?? "" }]);
  await deleteOrganization(page, name);
  await expect(page.getByText(`You are in ${person.organizationName}.`)).toBeVisible();
  await page.goto("/settings/profile");
  await page.getByRole("button", { name: `Take back the deletion of ${name}` }).click();
  await page.waitForURL("**/overview");
  await expect(page.getByRole("button", { name: `Organization: ${name}` })).toBeVisible();
});
