import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { app } from "@/server/composition/rest-app";
import { entries, findEntry, pages } from "@/server/transport/http/entries";

/** The paths of Next's files of that name: parameters and catch-alls as `x`, without groups. */
const nextPaths = (file: "route.ts" | "page.tsx"): string[] =>
  fs
    .readdirSync(path.resolve("app"), { recursive: true, encoding: "utf8" })
    .filter((name) => path.basename(name) === file)
    .map((name) => {
      const parts = path.dirname(name).split(path.sep);
      return `/${parts.filter((part) => part !== "." && !part.startsWith("(")).join("/")}`;
    })
    .map((name) => name.replaceAll(/\[[^\]]+\]/g, "x"));

const honoRoutes = app.routes
  .filter(({ path: route }) => route !== "/*")
  .map(({ method, path: route }) => ({ method, path: route.replaceAll(/:\w+|\*/g, "x") }));

describe("the table of entries", () => {
  test("finds the routes to compare", () => {
    expect(nextPaths("route.ts")).toContain("/api/trpc/x");
    expect(nextPaths("page.tsx")).toContain("/devices/x");
    expect(honoRoutes.length).toBeGreaterThan(300);
  });

  test.each(nextPaths("route.ts"))("names the route handler %s", (route) => {
    expect(findEntry("GET", route)).not.toBe(pages);
  });

  test.each(nextPaths("page.tsx"))("counts the page %s as a page", (route) => {
    expect(findEntry("GET", route)).toBe(pages);
  });

  test("names every route of the Hono app as its own, and nothing else", () => {
    const unnamed = honoRoutes.filter((route) => findEntry(route.method, route.path).handler !== "api");
    expect(unnamed).toEqual([]);
    const served = new Set(honoRoutes.map((route) => findEntry(route.method, route.path).name));
    expect(entries.filter(({ handler }) => handler === "api").map(({ name }) => name)).toEqual(
      expect.arrayContaining([...served]),
    );
    expect(served.size).toBe(entries.filter(({ handler }) => handler === "api").length);
  });

  test("has no entry for a route handler that does not exist", () => {
    const routes = nextPaths("route.ts").map((route) => findEntry("GET", route).name);
    const built = ["built files", "page workers"];
    const next = entries.filter(({ handler, name }) => handler === "pages" && !built.includes(name));
    expect(routes).toEqual(expect.arrayContaining(next.map(({ name }) => name)));
  });

  test("counts every entry with a cookie itself, but for tRPC's procedures, parts of media and built files", () => {
    const uncounted = entries.filter(
      ({ credential, counted }) => credential === "cookie" && counted.startsWith("page"),
    );
    expect(uncounted.map(({ name }) => name)).toEqual(["changes", "sign-in", "logos"]);
    expect(entries.filter(({ counted }) => counted === "not").map(({ name }) => name)).toEqual([
      "liveness",
      "readiness",
      "metrics",
      "files",
      "media",
      "built files",
      "page workers",
    ]);
  });

  test("reads escaped letters as Next does, so that they do not lead around an entry", () => {
    expect(findEntry("GET", "/devices/%65xport").name).toBe("devices as CSV");
    expect(findEntry("POST", "/api/tr%70c/x").name).toBe("tRPC");
    expect(findEntry("GET", "/devices/export/").name).toBe("devices as CSV");
    expect(findEntry("GET", "/devices/exports")).toBe(pages);
    expect(findEntry("POST", "/files/upload/x").name).toBe("files");
  });
});
