import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { underSettings } from "@/server/testing/settings";

/** Where Next itself listens (`npm run dev`, serverless hosting), our listener does not run before its routes. */
const app = path.resolve("app");
const routes = fs
  .readdirSync(app, { recursive: true, encoding: "utf8" })
  .filter((file) => path.basename(file) === "route.ts");
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
type Route = Partial<Record<(typeof methods)[number], (request: Request) => Promise<Response>>>;

test("finds the routes to test", () => {
  expect(routes).toContain("api/trpc/[trpc]/route.ts");
});

test.each(routes)("%s itself refuses plain http when PUBLIC_URL is https", async (file) => {
  const route = (await import(path.join(app, file))) as Route;
  for (const hops of [0, 1]) {
    await underSettings({ PUBLIC_URL: "https://muster.example", TRUSTED_PROXY_HOPS: hops }, async () => {
      for (const method of methods) {
        const response = await route[method]?.(new Request("http://muster.example/", { method }));
        if (!response) continue;
        const { status } = response;
        expect([method, status, await response.json()]).toEqual([method, 403, { detail: "HTTPS is required." }]);
      }
    });
  }
});
