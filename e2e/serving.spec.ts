import { once } from "node:events";
import http from "node:http";
import { expect, test } from "@playwright/test";

test("the readiness probe reports ready", async ({ request }) => {
  const response = await request.get("/readyz");
  expect(response.status()).toBe(200);
  expect(await response.json()).toMatchObject({ status: "ready" });
  expect((await request.head("/healthz")).status()).toBe(200);
});

test("every page comes with a policy of its own, which forbids framing and foreign scripts", async ({ request }) => {
  const policies = await Promise.all(
    [1, 2].map(async () => (await request.get("/login")).headers()["content-security-policy"] ?? ""),
  );
  expect(policies[0]).toMatch(/script-src 'self' 'nonce-[^']+' 'strict-dynamic'/);
  expect(policies[0]).toContain("frame-ancestors 'none'");
  expect(policies[0]).toMatch(/; style-src 'self' 'nonce-[^']+'( 'sha256-[^']+'){2}; style-src-attr 'unsafe-inline';/);
  expect(policies[0]).not.toBe(policies[1]);
});

test("a client cannot make a page use a nonce it chose", async ({ request }) => {
  const chosen = { "x-nonce": "chosen", "content-security-policy": "script-src 'nonce-chosen'" };
  const response = await request.get("/login", { headers: chosen });
  expect(response.headers()["content-security-policy"]).not.toContain("chosen");
  expect(await response.text()).not.toContain('nonce="chosen"');
});

test("a page loads without breaking its own policy", async ({ page }) => {
  const violations: string[] = [];
  page.on("console", (message) => {
    if (/content security policy/i.test(message.text())) violations.push(message.text());
  });
  await page.goto("/login");
  await page.waitForLoadState("networkidle");
  expect(violations).toEqual([]);
});

test("API paths respond with and without a trailing slash, never with a redirect", async ({ request }) => {
  for (const path of ["/api/v1/fleet/devices", "/api/v1/fleet/devices/"]) {
    expect((await request.get(path, { maxRedirects: 0 })).status()).toBe(401);
  }
});

test("a client that offers to upgrade the connection gets a normal response", async ({ request, baseURL }) => {
  expect((await request.get("/login")).status()).toBe(200);
  const offer = { connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "" };
  for (const [path, status] of [
    ["/api/v1/fleet/devices/", 401],
    ["/no/such/page", 404],
    ["/healthz", 200],
  ] as const) {
    const sent = http.get(`${baseURL}${path}`, { headers: offer });
    const [response] = (await once(sent, "response")) as [http.IncomingMessage];
    expect([path, response.resume().statusCode]).toEqual([path, status]);
  }
});
