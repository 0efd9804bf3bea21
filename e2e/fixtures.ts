import { randomBytes } from "node:crypto";
import { expect, type APIRequestContext, type Browser, type BrowserContext, type Page } from "@playwright/test";
import { test as base } from "./kept-context";

export { expect } from "@playwright/test";
export {
  checkAxe,
  expectNoLayoutShift,
  expectNoPageScroll,
  inEveryLook,
  inNextLook,
  live,
  lookAround,
  lookAtTabs,
  lookFirst,
  lookOnce,
  themes,
  useTheme,
  widths,
} from "./looks";

/** A name that is unique across tests and runs. */
export const unique = (word = "t"): string => `${word}-${randomBytes(5).toString("hex")}`;

export interface Person {
  email: string;
  password: string;
  organizationName: string;
  /** An unscoped API key of this person. */
  key: string;
}

export interface Device {
  uid: string;
  name: string;
  device_token: string;
}

/** The REST API with one person's key or one device's token. */
export interface Api {
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body?: unknown): Promise<T>;
  patch<T>(path: string, body: unknown): Promise<T>;
  delete(path: string): Promise<void>;
}

/** Calls the API below /api/v1 with those headers and fails the test on any response that is not a success. */
function apiWith(request: APIRequestContext, headers: Record<string, string>): Api {
  const call = async (method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: unknown) => {
    const response = await request.fetch(`/api/v1${path}`, {
      method,
      headers,
      ...(body !== undefined && { data: body }),
    });
    if (!response.ok()) throw new Error(`${method} ${path} answered ${response.status()}: ${await response.text()}`);
    return response.status() === 204 ? undefined : ((await response.json()) as unknown);
  };
  return {
    get: <T>(path: string) => call("GET", path) as Promise<T>,
    post: <T>(path: string, body: unknown = {}) => call("POST", path, body) as Promise<T>,
    patch: <T>(path: string, body: unknown) => call("PATCH", path, body) as Promise<T>,
    delete: async (path: string) => void (await call("DELETE", path)),
  };
}

export const createApi = (request: APIRequestContext, person: Person): Api =>
  apiWith(request, { "X-Service-Api-Key": person.key });

/** Registers a device; its token is in the response. */
export const registerDevice = (api: Api, input: Record<string, unknown> = {}): Promise<Device> =>
  api.post<Device>("/fleet/devices/", { name: unique("arm"), ...input });

/** What a robot sends every half minute. */
export const heartbeat = (
  request: APIRequestContext,
  device: { device_token: string },
  body: unknown = {},
): Promise<unknown> =>
  apiWith(request, { "X-Service-Device-Token": device.device_token }).post("/fleet/devices/me/heartbeat/", body);

/** Signs up a new person with a new organization through the API. */
export async function signUp(request: APIRequestContext, organizationName = unique("Fleet")): Promise<Person> {
  const account = { email: `${unique("user")}@example.com`, password: "a password for tests" };
  const response = await request.post("/api/v1/signup/", { data: { ...account, organization_name: organizationName } });
  expect(response.status()).toBe(201);
  const { api_key: key } = (await response.json()) as { api_key: string };
  return { ...account, organizationName, key };
}

/** What a browser adds to the requests of our own page. */
export const ownPage = { "sec-fetch-site": "same-origin" };

/** Raises a test alert as the page's person, which is processed like a real one. */
export async function raiseAlert(
  page: Page,
  severity: "info" | "warning" | "error" | "critical" = "info",
): Promise<string> {
  const response = await page.request.post("/api/trpc/alerts.test", {
    data: { severity, channel_ids: [] },
    headers: ownPage,
  });
  expect(response.ok()).toBe(true);
  const { result } = (await response.json()) as { result: { data: { uid: string } } };
  return result.data.uid;
}

/** Signs in as the login form does, without rendering it. */
export async function signIn(context: BrowserContext, person: Person): Promise<void> {
  const { csrfToken } = (await (await context.request.get("/api/auth/csrf")).json()) as { csrfToken: string };
  const response = await context.request.post("/api/auth/callback/credentials", {
    form: { email: person.email, password: person.password, csrfToken, json: "true" },
    headers: ownPage,
  });
  expect(response.ok()).toBe(true);
  await expect
    .poll(async () => (await context.cookies()).some(({ name }) => name.endsWith("session-token")))
    .toBe(true);
}

/** Signs in through the form, as a person does. */
export async function signInByForm(page: Page, person: Person): Promise<void> {
  await page.goto("/login");
  await page.getByLabel("E-mail").fill(person.email);
  await page.getByLabel("Password").fill(person.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL((url) => url.pathname !== "/login");
}

/** Faults that fail a test: script errors, policy violations, failed hydration. */
export class Faults {
  readonly all: string[] = [];
  private expected: RegExp[] = [];

  watch(page: Page): void {
    page.on("console", (message) => {
      if (message.type() !== "error" && !/content security policy/i.test(message.text())) return;
      const { url } = message.location();
      this.all.push(url ? `${message.text()} at ${url}` : message.text());
    });
    page.on("pageerror", (error) => this.all.push(String(error)));
  }

  /** Faults that the test itself causes. */
  expect(pattern: RegExp): void {
    this.expected.push(pattern);
  }

  get unexpected(): string[] {
    return this.all.filter((text) => !this.expected.some((pattern) => pattern.test(text)));
  }
}

/** A list whose address holds a value that the server refuses shows the error and can be retried. */
export async function expectRefusedList(page: Page, faults: Faults, at: string, title: string): Promise<void> {
  faults.expect(/status of (400|207)/);
  await page.goto(at);
  await expect(page.getByText(`${title} could not be loaded`)).toBeVisible();
  await expect(page.getByRole("button", { name: "Retry" })).toBeVisible();
}

/**
 * Waits until the address stays as it is for 30 frames. The router writes an address again when it has rendered it: when
 * two follow each other closely the first comes back for a moment, and a reload then would load that one.
 */
export async function waitForAddress(page: Page): Promise<void> {
  await page.evaluate(async () => {
    let address = location.href;
    for (let frames = 0; frames < 30; frames++) {
      await new Promise(requestAnimationFrame);
      if (location.href === address) continue;
      address = location.href;
      frames = 0;
    }
  });
}

/** Loads the page again at the address it came to. */
export async function reload(page: Page): Promise<void> {
  await waitForAddress(page);
  await page.reload();
}

/**
 * Back, within the interface: the browser's own call would wait for a page load that may not happen. Ends with the new
 * address, whether the page stays or is loaded again.
 */
export async function back(page: Page): Promise<void> {
  await waitForAddress(page);
  const moved = page.waitForEvent("framenavigated");
  await page.evaluate(() => history.back());
  await moved;
}

/** A separate browser for one person, signed in. */
export async function openBrowser(browser: Browser, person: Person): Promise<BrowserContext> {
  const context = await browser.newContext();
  await signIn(context, person);
  return context;
}

/** Requests of the page that a test still answers end with it, and are no faults. */
async function endRoutes(page: Page): Promise<void> {
  if (!page.isClosed()) await page.unrouteAll({ behavior: "ignoreErrors" });
}

/**
 * `person` is fresh, `page` is theirs and signed in; any console error, hydration fault or policy violation fails the
 * test.
 */
export const test = base.extend<{ person: Person; signedIn: void; api: Api; faults: Faults }>({
  person: async ({ request }, use) => use(await signUp(request)),
  signedIn: async ({ context, person }, use) => {
    await signIn(context, person);
    await use();
  },
  api: async ({ request, person }, use) => use(createApi(request, person)),
  faults: async ({}, use) => {
    const faults = new Faults();
    await use(faults);
    expect(faults.unexpected).toEqual([]);
  },
  page: async ({ page, signedIn: _, faults }, use) => {
    faults.watch(page);
    await use(page);
    await endRoutes(page);
  },
});

/** The same without a session, for the sign-in pages. */
export const visitors = base.extend<{ faults: Faults }>({
  faults: async ({}, use) => {
    const faults = new Faults();
    await use(faults);
    expect(faults.unexpected).toEqual([]);
  },
  page: async ({ page, faults }, use) => {
    faults.watch(page);
    await use(page);
    await endRoutes(page);
  },
});
