import type { Page } from "@playwright/test";
import { computeCode, getStep } from "@/server/platform/auth/totp";
import {
  createApi,
  expect,
  inEveryLook,
  lookAround,
  openBrowser,
  signUp,
  test,
  unique,
  useTheme,
  widths,
  type Api,
  type Person,
} from "./fixtures";
import { untilHydrated } from "./hydration";

/** The code of a key now, or in the next half minute, which is accepted too: each is accepted once. */
const getCode = (key: string, steps = 0) => computeCode(key, getStep(Math.floor(Date.now() / 1_000)) + steps);

/** Goes through the steps of setting up an app, which are on screen, looking at each. Returns its key and the recovery codes. */
async function setUp(
  page: Page,
  password: string,
  look: (page: Page) => Promise<void> = async () => {},
): Promise<{ key: string; codes: string[] }> {
  await page.getByLabel("Password", { exact: true }).fill(password);
  await look(page);
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("img", { name: "QR code for the authenticator app" })).toBeVisible();
  await look(page);
  // In the dark theme too: apps read no inverted code.
  await expect(page.locator("svg[role=img] rect")).toHaveCSS("fill", "rgb(255, 255, 255)");
  const key = (await page.getByLabel("Key", { exact: true }).textContent()) ?? "";
  await page.getByLabel("Code", { exact: true }).fill(getCode(key));
  await page.getByRole("button", { name: "Turn on" }).click();
  const text = (await page.getByLabel("Recovery codes", { exact: true }).textContent()) ?? "";
  await look(page);
  return { key, codes: text.split("\n") };
}

async function storeCodes(page: Page): Promise<void> {
  await page.getByRole("checkbox", { name: "I stored it" }).click();
  await page.getByRole("button", { name: "Done" }).click();
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Account of/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.waitForURL("**/login");
}

async function signInWithPassword(page: Page, { email, password }: Person, next: string): Promise<void> {
  await page.goto(`/login?next=${encodeURIComponent(next)}`);
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("heading", { name: "Enter your code" })).toBeVisible();
  await untilHydrated(page);
}

test.describe("a second factor", () => {
  test("is set up in the profile, asked for when signing in, replaced by a recovery code, and turned off", async ({
    page,
    person,
    faults,
  }) => {
    await page.goto("/settings/profile");
    await page.getByRole("button", { name: "Set up" }).click();
    const { key, codes } = await setUp(page, person.password, lookAround);
    expect(codes).toHaveLength(10);
    // What is shown only once cannot be closed by mistake.
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog").getByRole("button", { name: "Close" })).toHaveCount(0);
    await storeCodes(page);
    await expect(page.getByText("10 recovery codes left")).toBeVisible();

    await signOut(page);
    await signInWithPassword(page, person, "/settings/profile?a=1");
    faults.expect(/401/);
    const code = page.getByLabel("Code");
    await code.fill("abcdef");
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByText("The code is not right, or was used already.")).toBeVisible();
    await expect(code).toBeFocused();
    // The first factor alone opens nothing.
    await page.goto("/devices");
    await expect(page.getByRole("heading", { name: "Enter your code" })).toBeVisible();
    await page.goto("/login?next=%2Fsettings%2Fprofile%3Fa%3D1");
    await code.fill(getCode(key, 1));
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL("**/settings/profile?a=1");

    await signOut(page);
    await signInWithPassword(page, person, "/settings/profile");
    await code.fill(codes[0] ?? "");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL("**/settings/profile");
    await expect(page.getByText("9 recovery codes left")).toBeVisible();

    await page.getByRole("button", { name: "Turn off" }).click();
    const dialog = page.getByRole("dialog");
    await lookAround(page);
    await dialog.getByLabel("Password").fill(person.password);
    await dialog.getByLabel("Code").fill(codes[1] ?? "");
    await dialog.getByRole("button", { name: "Turn off" }).click();
    await expect(page.getByText("Off: your password alone signs you in.")).toBeVisible();
  });

  test("that another account awaits can be left for another account @full", async ({ page, person }) => {
    await page.goto("/settings/profile");
    await page.getByRole("button", { name: "Set up" }).click();
    await setUp(page, person.password);
    await storeCodes(page);
    await signOut(page);
    await signInWithPassword(page, person, "/devices");
    await inEveryLook(page, async () => {
      await page.goto("/login?next=%2Fdevices");
      await expect(page.getByRole("heading", { name: "Enter your code" })).toBeVisible();
    });
    await page.getByRole("button", { name: "Use another account" }).click();
    await expect(page.getByLabel("E-mail")).toBeVisible();
    expect(new URL(page.url()).search).toBe("?next=%2Fdevices");
  });

  test("gets new recovery codes, which replace the old ones @full", async ({ page, person, faults }) => {
    await useTheme(page.context(), "dark");
    await page.goto("/settings/profile");
    await page.getByRole("button", { name: "Set up" }).click();
    const { codes } = await setUp(page, person.password);
    await storeCodes(page);
    await page.getByRole("button", { name: "New recovery codes" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Password").fill(person.password);
    await dialog.getByLabel("Code").fill(codes[0] ?? "");
    await dialog.getByRole("button", { name: "Make new codes" }).click();
    const renewed = (await dialog.getByLabel("Recovery codes", { exact: true }).textContent()) ?? "";
    expect(renewed).not.toContain(codes[1]);
    await storeCodes(page);
    await page.getByRole("button", { name: "New recovery codes" }).click();
    faults.expect(/400/);
    await dialog.getByLabel("Password").fill(person.password);
    await dialog.getByLabel("Code").fill(codes[1] ?? "");
    await dialog.getByRole("button", { name: "Make new codes" }).click();
    await expect(dialog.getByText("The code is not right, or was used already.")).toBeVisible();
  });
});

test.describe("a required second factor", () => {
  /** Somebody who joined the organization by an invitation. */
  async function join(api: Api, guest: Person, guestApi: Api): Promise<void> {
    const [own] = (await api.get<{ results: { slug: string }[] }>("/organizations/")).results;
    const body = { email: guest.email, role: "member" };
    const path = `/organizations/${own?.slug}/invitations/`;
    const { accept_url: link } = await api.post<{ accept_url: string }>(path, body);
    const token = new URL(link).pathname.split("/").at(-1) ?? "";
    await guestApi.post(`/organizations/invitations/${token}/accept/`, { invited_email: guest.email });
  }

  test("leads members to set one up, shows admins who has one, and lets nobody in before", async ({
    page,
    person,
    api,
    browser,
    request,
    faults,
  }) => {
    const guest = await signUp(request, unique("Guests"));
    await join(api, guest, createApi(request, guest));
    const guestBrowser = await openBrowser(browser, guest);
    const guestPage = await guestBrowser.newPage();
    await guestPage.goto("/overview");
    await guestPage.getByRole("button", { name: /^Organization:/ }).click();
    await guestPage.getByRole("menuitemcheckbox", { name: person.organizationName }).click();
    await expect(guestPage.getByRole("button", { name: `Organization: ${person.organizationName}` })).toBeVisible();

    await page.goto("/settings/members?tab=security");
    const required = page.getByRole("switch", { name: "Require a second factor of all members" });
    await expect(required).toHaveAttribute("aria-readonly", "true");
    await page.goto("/settings/profile");
    await page.getByRole("button", { name: "Set up" }).click();
    await setUp(page, person.password);
    await storeCodes(page);
    await page.goto("/settings/members?tab=security");
    await required.click();
    await page.getByRole("button", { name: "Require it" }).click();
    await expect(required).toBeChecked();
    await lookAround(page);

    await guestPage.goto("/devices?status=online");
    await guestPage.waitForURL("**/second-factor?next=%2Fdevices%3Fstatus%3Donline");
    await expect(guestPage.getByText(`${person.organizationName} requires one of all its members.`)).toBeVisible();
    await expect(guestPage.getByRole("button", { name: `Go to ${guest.organizationName}` })).toBeVisible();
    await setUp(guestPage, guest.password);
    await storeCodes(guestPage);
    await guestPage.waitForURL("**/devices?status=online");
    await guestBrowser.close();

    faults.expect(/403/);
    await page.setViewportSize(widths.desk);
    await page.goto("/settings/members");
    await expect(page.getByRole("row", { name: new RegExp(guest.email) })).toContainText("On");
  });
});
