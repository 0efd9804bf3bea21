import { createHash } from "node:crypto";
import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { parseEnv } from "@/server/platform/env";
import { underSettings } from "@/server/testing/settings";
import { contentSecurityPolicy, listMapOrigins, listPageHeaders } from "@/server/transport/http/pages";

const readDirectives = (policy: string) =>
  new Map(
    policy.split("; ").map((directive) => [directive.split(" ", 1)[0] ?? "", directive.split(" ").slice(1)] as const),
  );
const directives = readDirectives(contentSecurityPolicy("abc"));

describe("the content security policy", () => {
  test("runs no script without the nonce of its request", () => {
    expect(directives.get("script-src")).toEqual(["'self'", "'nonce-abc'", "'strict-dynamic'"]);
  });

  test("applies no style sheet but our files, those with the nonce, and that of the toasts", () => {
    const library = fs.readFileSync("node_modules/sonner/dist/index.mjs", "utf8");
    const inserted = [...library.matchAll(/^__insertCSS\(("(?:[^"\\]|\\.)*")\)/gm)].map(([, text]) =>
      String(JSON.parse(text ?? "")),
    );
    expect(inserted).toHaveLength(1);
    const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    expect(directives.get("style-src")).toEqual(["'self'", "'nonce-abc'", hash(""), hash(inserted[0] ?? "")]);
  });

  test("permits what is inline in style attributes only", () => {
    const inline = [...directives].filter(([, sources]) => sources.includes("'unsafe-inline'"));
    expect(inline).toEqual([["style-src-attr", ["'unsafe-inline'"]]]);
  });

  test("loads nothing from other sites, and no plug-ins, frames or bases", () => {
    const foreign = [...directives.values()].flat().filter((source) => /^(https?:|wss?:|\*)/.test(source));
    expect(foreign).toEqual([]);
    for (const name of ["object-src", "base-uri", "frame-ancestors"]) expect(directives.get(name)).toEqual(["'none'"]);
  });

  test("lets maps load pictures and data from the origins that the operator names, and nothing else from them", () => {
    const origins = ["https://tiles.example.com", "https://*.glyphs.example.com:8443"];
    const own = readDirectives(contentSecurityPolicy("abc", origins));
    const changed = [...own].filter(([name, sources]) => sources.join(" ") !== directives.get(name)?.join(" "));
    expect(changed).toEqual([
      ["img-src", ["'self'", "data:", "blob:", ...origins]],
      ["connect-src", ["'self'", ...origins]],
    ]);
  });

  test("names the origin of the style, and no others without a style", async () => {
    const MAP_ORIGINS = ["https://tiles.example.com"];
    expect(await underSettings({ MAP_ORIGINS }, async () => listMapOrigins())).toEqual([]);
    const MAP_STYLE_URL = "https://maps.example.com/style.json?key=1";
    expect(await underSettings({ MAP_ORIGINS, MAP_STYLE_URL }, async () => listMapOrigins())).toEqual([
      "https://maps.example.com",
      "https://tiles.example.com",
    ]);
  });

  test.each(["https://a.example.com; script-src *", "https://a.example.com;script-src", "https://a'b", "https://a/b"])(
    "MAP_ORIGINS cannot be %s",
    (origin) => {
      expect(() => parseEnv({ MAP_ORIGINS: origin })).toThrow("MAP_ORIGINS");
    },
  );
});

test("the address of a shared recording is in no referrer, and its page in no cache and no index", () => {
  const headers = (url: string) => Object.fromEntries(listPageHeaders(url));
  for (const url of ["/share/abc", "/share/abc?a=1", "/%73hare/abc"])
    expect(headers(url)).toMatchObject({
      "referrer-policy": "no-referrer",
      "x-robots-tag": "noindex, nofollow, noarchive",
      "cache-control": "private, no-store",
      "x-frame-options": "DENY",
    });
  expect(headers("/recordings/share/")).toMatchObject({ "referrer-policy": "strict-origin-when-cross-origin" });
  expect(headers("/recordings")).not.toHaveProperty("cache-control");
});
