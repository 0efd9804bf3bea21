import type { Browser, Page } from "@playwright/test";
import {
  checkAxe,
  expect,
  inEveryLook,
  openBrowser,
  registerDevice,
  signUp,
  test,
  unique,
  widths,
  type Api,
  type Person,
} from "./fixtures";

/** Opens a page of the organization of `api` as another person, who joins it with the last invitation. */
async function openAsInvited(browser: Browser, api: Api, guest: Person): Promise<Page> {
  const [organization] = (await api.get<{ results: { slug: string }[] }>("/organizations/")).results;
  const slug = organization?.slug ?? "";
  const [invitation] = (await api.get<{ results: { copy_link: string }[] }>(`/organizations/${slug}/invitations/`))
    .results;
  const context = await openBrowser(browser, guest);
  const token = invitation?.copy_link.split("/").at(-1) ?? "";
  const joined = await context.request.post(`/api/v1/organizations/invitations/${token}/accept/`, {
    headers: { "x-service-api-key": guest.key },
    data: { invited_email: guest.email },
  });
  expect(joined.status()).toBe(201);
  const url = test.info().project.use.baseURL ?? "";
  await context.addCookies([{ name: "muster-organization", value: slug, url }]);
  return context.newPage();
}

/** The reason that a control which cannot be used shows when the keyboard reaches it. */
async function expectRefused(page: Page, name: string, reason: string): Promise<void> {
  const button = page.getByRole("button", { name }).first();
  await expect(button).toHaveAttribute("aria-disabled", "true");
  await button.focus();
  await expect(page.getByText(reason).first()).toBeVisible();
  await page.keyboard.press("Escape");
}

const openRowMenu = async (page: Page, name: string): Promise<void> => {
  const row = page.getByRole("row", { name: new RegExp(name) });
  await row.hover();
  await row
    .getByRole("button", { name: new RegExp(name) })
    .last()
    .click();
};

test("a person who can only view sees everything, and why nothing can be changed", async ({
  page,
  browser,
  request,
  api,
}) => {
  test.setTimeout(120_000);
  const device = await registerDevice(api);
  const rule = unique("rule");
  await api.post("/fleet/rules/", {
    name: rule,
    condition: { type: "threshold", topic: "/t", field: "x", operator: "gt", value: 1 },
    actions: [{ type: "flag_for_review" }],
  });
  const guest = await signUp(request);
  await page.goto("/settings/members");
  await page.getByRole("button", { name: "Invite" }).click();
  await page.getByLabel("E-mail addresses").fill(guest.email);
  await page.getByLabel("E-mail addresses").press("Enter");
  await page.getByRole("switch", { name: "Can only view" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Invite", exact: true }).click();
  await expect(page.getByText(`${guest.email}: invited`)).toBeVisible();
  await page.keyboard.press("Escape");

  const viewer = await openAsInvited(browser, api, guest);
  await viewer.goto("/devices");
  await expect(viewer.getByText("View only")).toBeVisible();
  await expectRefused(viewer, "Register device", "You can only view.");
  await openRowMenu(viewer, device.name);
  await expect(viewer.getByRole("menuitem", { name: /Delete/ })).toHaveAttribute("aria-disabled", "true");
  await expect(viewer.getByRole("menuitem", { name: /Delete.*You can only view/ })).toBeVisible();
  await checkAxe(viewer);
  await viewer.keyboard.press("Escape");

  await viewer.goto("/rules");
  await expect(viewer.getByRole("switch", { name: `${rule} is on` })).toHaveAttribute("aria-readonly", "true");
  await expectRefused(viewer, "New rule", "You can only view.");
  for (const [path, button] of [
    ["/recordings", "Upload recordings"],
    ["/settings/silences", "Create silence"],
    ["/settings/channels", "Create channel"],
    ["/settings/members", "Invite"],
  ] as const) {
    await viewer.goto(path);
    await expectRefused(viewer, button, "You can only view.");
  }
  await inEveryLook(viewer, async () => {
    await viewer.goto("/devices");
    await expect(viewer.getByText("View only")).toBeVisible();
  });
  await viewer.setViewportSize(widths.desk);

  await viewer.goto("/settings/api-keys");
  await viewer.getByRole("button", { name: "Create key" }).first().click();
  await expect(viewer.getByRole("radio", { name: "Full access" })).toBeDisabled();
  await expect(viewer.getByRole("radio", { name: "Read only" })).toBeChecked();

  // Once the limit is lifted, a member still does not do what needs an admin or the author.
  await page.reload();
  await expect(page.getByRole("row", { name: new RegExp(guest.email) }).getByText("Member, view only")).toBeVisible();
  await openRowMenu(page, guest.email.split("@")[0] ?? "");
  await page.getByRole("menuitemcheckbox", { name: "Can only view" }).click();
  await expect(page.getByText("can make changes again")).toBeVisible();
  await viewer.goto("/devices");
  await expect(viewer.getByText("View only")).toHaveCount(0);
  await expectRefused(viewer, "Register device", "Only admins can do this.");
  await viewer.goto("/rules");
  await expect(viewer.getByRole("link", { name: "New rule" })).toBeVisible();
  await openRowMenu(viewer, rule);
  await expect(viewer.getByRole("menuitem", { name: /Edit.*Only its author and admins/ })).toBeVisible();
  await viewer.context().close();
});
