import { axeComplaints } from "./axe";
import {
  expect,
  expectNoPageScroll,
  inEveryLook,
  inNextLook,
  signIn,
  signUp,
  test,
  unique,
  visitors,
  widths,
  reload,
} from "./fixtures";
import { untilHydrated } from "./hydration";

visitors.describe("without a session", () => {
  visitors("a visitor signs up by form and sees their organization", async ({ page }) => {
    const organization = unique("Áda Robotics");
    const address = organization.toLowerCase().replace("á", "a").replaceAll(" ", "-");
    await page.goto("/signup");
    await page.getByLabel("E-mail").fill(`${unique("ada")}@example.com`);
    await page.getByLabel("Password").fill("short");
    await page.getByRole("button", { name: "Create account" }).click();
    await expect(page.getByLabel("Password")).toHaveAttribute("aria-invalid", "true");
    await page.getByLabel("Password").fill("a password for tests");
    await page.getByLabel("Organization").fill(organization);
    await expect(page.getByText(`Address, which stays: ${address}`)).toBeVisible();
    await page.getByRole("button", { name: "Create account" }).click();
    await page.waitForURL("**/overview");
    await expect(page.getByRole("button", { name: `Organization: ${organization}` })).toBeVisible();
    await page.goto("/settings/organization");
    await expect(page.getByRole("textbox", { name: "Address" })).toHaveValue(address);
  });

  visitors("one press submits a form whose last field shows its error when it is left", async ({ page }) => {
    await page.goto("/signup");
    await page.getByLabel("Password").fill("a password for tests");
    await page.getByLabel("E-mail").fill("no address");
    await page.getByRole("button", { name: "Create account" }).hover();
    await page.mouse.down();
    // What a blur would show has time to move the button.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    await page.mouse.up();
    await expect(page.getByLabel("E-mail")).toHaveAttribute("aria-invalid", "true");
    await expect(page.getByLabel("E-mail")).toBeFocused();
  });

  visitors(
    "the first press on a link below a field lands, and a field that was only passed shows no error",
    async ({ page }) => {
      const links = [
        ["/login", "Sign up", "/signup"],
        ["/login", "Forgot your password?", "/forgot-password"],
        ["/signup", "Sign in", "/login"],
      ] as const;
      for (const typed of ["", "no address"]) {
        for (const [at, name, to] of links) {
          await page.goto(at);
          await untilHydrated(page);
          const email = page.getByLabel("E-mail");
          await expect(email).toBeFocused();
          await email.pressSequentially(typed);
          const link = page.getByRole("link", { name });
          await link.hover();
          await page.mouse.down();
          await expect(email).not.toBeFocused();
          // What the blur would show has time to move the link.
          await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
          await page.mouse.up();
          await page.waitForURL((url) => url.pathname === to);
        }
      }
      await page.goto("/login");
      await untilHydrated(page);
      await page.keyboard.press("Tab");
      await expect(page.getByLabel("Password")).toBeFocused();
      await page.keyboard.press("Tab");
      await expect(page.getByRole("link", { name: "Forgot your password?" })).toBeFocused();
      await expect(page.locator("[aria-invalid=true]")).toHaveCount(0);
    },
  );

  visitors("what is typed before the scripts of the page run is kept", async ({ page, request }) => {
    const { email, password } = await signUp(request);
    let run = () => {};
    const isTyped = new Promise<void>((resolve) => (run = resolve));
    await page.route("**/_next/static/**/*.js", (route) => isTyped.then(() => route.continue()));
    await page.goto("/login", { waitUntil: "commit" });
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill(password);
    run();
    // Before that the browser itself would send the form.
    await untilHydrated(page);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL("**/overview");
  });

  visitors("an address that already has an account is refused at its field", async ({ page, request, faults }) => {
    const { email } = await signUp(request);
    faults.expect(/400/);
    await page.goto("/signup");
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill("a password for tests");
    await page.getByRole("button", { name: "Create account" }).click();
    await expect(page.getByText("already exists")).toBeVisible();
  });

  visitors("a forgotten password leads to those who can help when no mail can be sent", async ({ page }) => {
    await page.goto("/login");
    await page.getByRole("link", { name: "Forgot your password?" }).click();
    await expect(page.getByText("No mail can be sent from here")).toBeVisible();
  });

  visitors("an invited newcomer joins from the link itself, with a password", async ({ page, request }) => {
    const host = await signUp(request);
    const headers = { "x-service-api-key": host.key };
    const organizations = (await (await request.get("/api/v1/organizations/", { headers })).json()) as {
      results: { slug: string }[];
    };
    const email = `${unique("guest")}@example.com`;
    const invited = await request.post(`/api/v1/organizations/${organizations.results[0]?.slug}/invitations/`, {
      headers,
      data: { email, role: "member" },
    });
    const { accept_url: link } = (await invited.json()) as { accept_url: string };
    await page.goto(link);
    await expect(page.getByLabel("E-mail")).toHaveValue(email);
    await expect(page.getByLabel("E-mail")).not.toBeEditable();
    await page.getByLabel("Password").fill("a password for tests");
    await page.getByRole("button", { name: `Join ${host.organizationName}` }).click();
    await page.waitForURL("**/overview");
    await expect(page.getByRole("button", { name: `Organization: ${host.organizationName}` })).toBeVisible();
  });

  visitors("a visitor returns to the requested page after signing in", async ({ page, request, faults }) => {
    const person = await signUp(request);
    await page.goto("/settings/api-keys?mine=1");
    await page.waitForURL("**/login?next=**");
    faults.expect(/401/);
    await page.getByLabel("E-mail").fill(person.email);
    await page.getByLabel("Password").fill("not the password");
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByText("do not match an account")).toBeVisible();
    await page.getByLabel("Password").fill(person.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL("**/settings/api-keys?mine=1");
  });

  visitors("a link cannot send people to another site after signing in", async ({ page, request }) => {
    const person = await signUp(request);
    await page.goto("/login?next=//example.com/");
    await page.getByLabel("E-mail").fill(person.email);
    await page.getByLabel("Password").fill(person.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL("**/overview");
  });

  visitors("the API reference finds an operation, and both its pages fit every width", async ({ page }) => {
    for (const size of Object.values(widths)) {
      await page.setViewportSize(size);
      await page.goto("/docs/api");
      await page.getByLabel("Search operations").fill("register device");
      await expect(page.getByRole("status").filter({ hasText: "1 operation" })).toBeVisible();
      await expectNoPageScroll(page);
      expect(await axeComplaints(page, "all", "main")).toEqual([]);
      await page.getByRole("link", { name: "Register a device" }).click();
      await page.waitForURL("**/docs/api/devices#devices.create");
      await expect(page.getByRole("heading", { level: 2, name: "Register a device" })).toBeVisible();
      await expectNoPageScroll(page);
    }
    // The page repeats one block; one of them is checked in full, and a schema.
    expect(await axeComplaints(page, "all", '[id="devices.create"]')).toEqual([]);
    expect(await axeComplaints(page, "all", '[id="schema.Device"]')).toEqual([]);
  });

  visitors(
    "every area of the API reference has less than 300 kB and links only to what it has",
    async ({ request }) => {
      const pages = ["/docs/api"];
      for (const address of pages) {
        const html = await (await request.get(address)).text();
        expect(html.length, address).toBeLessThan(300_000);
        const anchors = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
        const links = [...html.matchAll(/ href="(?:\/docs\/api\/[\w-]+)?#([^"]+)"/g)].map(([, id]) => id);
        if (address !== "/docs/api")
          expect(
            links.filter((id) => !anchors.has(id)),
            address,
          ).toEqual([]);
        else pages.push(...new Set([...html.matchAll(/ href="(\/docs\/api\/[\w-]+)"/g)].map(([, href = ""]) => href)));
      }
      expect(pages.length).toBeGreaterThan(20);
    },
  );

  visitors("the sign-in pages fit every width, in both themes", async ({ page }) => {
    const show = async (path: string) => {
      await page.goto(path);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    };
    for (const path of ["/login", "/signup"]) await inEveryLook(page, () => show(path));
    for (const path of ["/invite/none", "/forgot-password", "/reset-password/none", "/verify-email/none"])
      await inNextLook(page, () => show(path));
  });
});

test.describe("a session", () => {
  test("ends on sign-out, after which its pages cannot be opened, not even with a copy of the cookie", async ({
    page,
    context,
  }) => {
    await page.goto("/settings/profile");
    const cookies = await context.cookies();
    await page.getByRole("button", { name: /^Account of/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.waitForURL("**/login");
    await page.goto("/settings/profile");
    await page.waitForURL("**/login?next=**");
    await context.addCookies(cookies);
    await page.goto("/settings/profile");
    await page.waitForURL("**/login?next=**");
    expect(await (await page.request.get("/api/auth/session")).json()).toEqual({});
  });

  test("can be ended from another browser, where it is listed", async ({ page, browser, person }) => {
    const elsewhere = await browser.newContext();
    await signIn(elsewhere, person);
    const other = await elsewhere.newPage();
    await other.goto("/settings/profile");
    const readSession = async () => (await elsewhere.request.get("/api/auth/session")).json() as Promise<unknown>;
    expect(await readSession()).toMatchObject({ user: { email: person.email } });
    await page.goto("/settings/profile");
    const sessions = page.getByRole("list", { name: "Sessions" }).getByRole("listitem");
    await expect(sessions).toHaveCount(2);
    await expect(sessions.first()).toContainText("This browser");
    await expect(sessions.last()).toContainText("Chrome on Windows");
    await sessions.last().getByRole("button", { name: "Sign out" }).click();
    await expect(sessions).toHaveCount(1);
    expect(await readSession()).toEqual({});
    await reload(other);
    await other.waitForURL("**/login?next=**");
    await elsewhere.close();
  });

  test("ends in every other browser when the password changes, and stays in this one", async ({
    page,
    browser,
    person,
  }) => {
    const elsewhere = await browser.newContext();
    await signIn(elsewhere, person);
    await page.goto("/settings/profile");
    await page.getByLabel("Current password").fill(person.password);
    await page.getByLabel("New password").fill("another password for tests");
    await page.getByRole("button", { name: "Change password" }).click();
    await expect(page.getByText("Password changed")).toBeVisible();
    await reload(page);
    await expect(page.getByRole("heading", { name: "Profile" })).toBeVisible();
    const other = await elsewhere.newPage();
    await other.goto("/settings/profile");
    await other.waitForURL("**/login?next=**");
    await elsewhere.close();
  });

  test("shows one organization at a time, and switching replaces all data", async ({ page }) => {
    await page.goto("/settings/members");
    await page.getByRole("button", { name: /^Organization:/ }).click();
    await page.getByRole("menuitem", { name: "New organization" }).click();
    await page.getByLabel("Name").fill("Second fleet");
    await page.getByRole("button", { name: "Create organization" }).click();
    await expect(page.getByRole("button", { name: "Organization: Second fleet" })).toBeVisible();
    await page.goto("/settings/api-keys");
    await expect(page.getByText("No API keys yet")).toBeVisible();
  });
});
