import { createHash } from "node:crypto";
import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { contentSecurityPolicy } from "@/server/transport/http/pages";

const directives = new Map(
  contentSecurityPolicy("abc")
    .split("; ")
    .map((directive) => [directive.split(" ", 1)[0] ?? "", directive.split(" ").slice(1)]),
);

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
});
