import { expect, expectNoSidewaysScroll, inEveryLook, signIn, signUp, test, unique, visitors } from "./fixtures";

visitors.describe("deletion", () => {
  visitors(
    "an owner deletes their organization, takes that back, then deletes both",
    async ({ page, request, context, faults }) => {
      const person = await signUp(request, unique("Depot"));
      await signIn(context, person);
      await page.goto("/settings/profile");
      const deleteAccount = page.getByRole("button", { name: "Delete account" });
      await expect(deleteAccount).toHaveAttribute("aria-disabled", "true");

      const removeOrganization = async () => {
        await page.goto("/settings/organization");
        await page.getByRole("button", { name: "Delete organization" }).click();
        const dialog = page.getByRole("dialog");
        const confirm = dialog.getByRole("button", { name: "Delete organization" });
        await expect(confirm).toBeDisabled();
        await dialog.getByRole("textbox").fill(person.organizationName);
        await confirm.click();
        await page.waitForURL("**/organizations");
      };
      await removeOrganization();
      await expect(page.getByText("You are in no organization now")).toBeVisible();
      const headers = { "x-service-api-key": person.key };
      expect((await request.get("/api/v1/fleet/devices/", { headers })).status()).toBe(401);
      // Every page of the dashboard leads here.
      await page.goto("/devices");
      await page.waitForURL("**/organizations");
      await inEveryLook(page, async () => {
        await expect(page.getByRole("list", { name: "Organizations being deleted" })).toBeVisible();
        await expectNoSidewaysScroll(page);
      });

      await page.getByRole("button", { name: `Take back the deletion of ${person.organizationName}` }).click();
      await page.waitForURL("**/overview");
      await expect(page.getByRole("button", { name: `Organization: ${person.organizationName}` })).toBeVisible();
      expect((await request.get("/api/v1/fleet/devices/", { headers })).status()).toBe(200);

      await removeOrganization();
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

test("an owner with another organization takes a deletion back in their profile", async ({ page, person }) => {
  await page.goto("/settings/organization");
  await page.getByRole("button", { name: `Organization: ${person.organizationName}` }).click();
  await page.getByRole("menuitem", { name: "New organization" }).click();
  const name = unique("Second");
  await page.getByLabel("Name").last().fill(name);
  await page.getByRole("button", { name: "Create organization" }).click();
  await expect(page.getByRole("button", { name: `Organization: ${name}` })).toBeVisible();
  await page.goto("/settings/organization");
  await page.getByRole("button", { name: "Delete organization" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill(name);
  await page.getByRole("dialog").getByRole("button", { name: "Delete organization" }).click();
  await page.waitForURL("**/organizations");
  await expect(page.getByText(`You are in ${person.organizationName}.`)).toBeVisible();
  await page.getByRole("link", { name: "Open Muster" }).click();
  await page.goto("/settings/profile");
  await page.getByRole("button", { name: `Take back the deletion of ${name}` }).click();
  await expect(page.getByRole("button", { name: `Organization: ${name}` })).toBeVisible();
});
