import http from "node:http";
import { expect, ownPage, test } from "./fixtures";

/** Where the server sends a browser: to a path of this site, whatever an address, a header or a form names. */

const away = [
  ...["//evil.test", "///evil.test", "https://evil.test", "http:evil.test", "javascript:alert(1)", "evil.test"],
  ...["/\\evil.test", "/./\\evil.test", "/..\\/evil.test", "\\\\evil.test", "/..//evil.test/login", "/.//evil.test"],
  ...["/a/..//evil.test", "/%2e%2e//evil.test", "/.%2e//evil.test", "/%2f/evil.test", "/%5cevil.test", "/\t/evil.test"],
  ...["/\n/evil.test", "/..//user@evil.test", "/..//evil.test:8080", "https:/evil.test", "//evil%E3%80%82test"],
];

test("signing in with a live session leads to no other site, in any spelling of next", async ({ page, baseURL }) => {
  for (const at of ["/login", "/signup"]) {
    for (const next of away) {
      for (const query of [`next=${encodeURIComponent(next)}`, `next=/devices&next=${encodeURIComponent(next)}`]) {
        const response = await page.request.get(`${at}?${query}`, { maxRedirects: 0 });
        const { location = "" } = response.headers();
        expect([next, response.status()]).toEqual([next, 307]);
        expect([next, new URL(location, baseURL).origin]).toEqual([next, baseURL]);
      }
    }
  }
});

test("signing out leads to no other site", async ({ page, baseURL }) => {
  const { csrfToken } = (await (await page.request.get("/api/auth/csrf")).json()) as { csrfToken: string };
  for (const callbackUrl of away) {
    const form = { csrfToken, callbackUrl, json: "true" };
    const response = await page.request.post("/api/auth/signout", { form, headers: ownPage });
    const { url } = (await response.json()) as { url: string };
    expect([callbackUrl, new URL(url, baseURL).origin]).toEqual([callbackUrl, baseURL]);
  }
});

test("no page leads to a host that the request made up", async ({ baseURL }) => {
  const made = [
    { host: "evil.test" },
    { "x-forwarded-host": "evil.test", "x-forwarded-proto": "https" },
    { forwarded: "host=evil.test" },
    { "x-original-url": "//evil.test", "x-rewrite-url": "//evil.test", "x-host": "evil.test" },
  ];
  for (const headers of made) {
    for (const path of ["/", "/devices", "/login", "/api/auth/signin", "/api/auth/signout", "/docs/api", "/nothing/"]) {
      const sent = http.get(`${baseURL}${path}`, { headers });
      const [response, body] = await new Promise<[http.IncomingMessage, string]>((resolve, reject) => {
        sent.once("error", reject).once("response", (received) => {
          let text = "";
          received.setEncoding("utf8").on("data", (piece: string) => (text += piece));
          received.once("end", () => resolve([received, text]));
        });
      });
      const { location = "" } = response.headers;
      expect([path, headers, location, body.includes("evil.test")]).toEqual([
        path,
        headers,
        expect.not.stringContaining("evil.test"),
        false,
      ]);
    }
  }
});
