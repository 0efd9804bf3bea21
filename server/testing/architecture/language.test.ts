import { expect, test } from "vitest";
import { files, readText } from "@/server/testing/architecture/source-tree";

/** Words that docs/glossary.md replaces by the terms of the field ("Say this, not that"), and where they may stand. */
const refused: { say: string; not: RegExp; except?: RegExp }[] = [
  { say: "transport, router, handler, entry", not: /\bdoors?\b/i },
  { say: "timeout, retry policy, threshold", not: /\bpatien(ce|t)/i },
  { say: "fatal error", not: /hopeless/i },
  { say: "max, limit", not: /\b(most|longest|deepest|largest)[A-Z]\w*/ },
  { say: "concurrency", not: /AtOnce\b|\batOnce\b/ },
  { say: "received, reported, notified", not: /\bheard\b|\btold\b/i },
  { say: "stop listening", not: /deafen/i },
  { say: "dropped, refused", not: /turn(s|ed)? ?away/i },
  { say: "unmatched", not: /homeless/i },
  { say: "labels, texts, vocabulary, describe…", not: /\b[a-z]+Words\b/ },
  { say: "seed, seeded", not: /furnish/i },
  {
    say: "get…, list…, parse…, read…, to…",
    not: /\b(const|let|function\*?)\s+(?!oneOf|arrayOf|parseOneOf)\w+Of\b/,
  },
  { say: "sent, delivered", not: /\bwent out\b/i },
  { say: "created, made", not: /\bborn\b/i },
  { say: "Muster, the installation", not: /\bthe house\b/i, except: /"In the house"/ },
  { say: "trigger, triggered", not: /\bfired\b/i },
];

const self = "server/testing/architecture/language.test.ts";

test("the glossary lists what is refused, and nothing else", () => {
  const [, table = ""] = readText("docs/glossary.md").split("## Say this, not that");
  const rows = [...table.matchAll(/^\| (.+?) \| .+ \|$/gm)].map(([, say]) => say);
  expect(rows).toEqual(["say", ...refused.map(({ say }) => say)]);
});

test.each(refused)("the code says $say", ({ not, except }) => {
  const found = files
    .filter((file) => file !== self)
    .flatMap((file) =>
      readText(file)
        .split("\n")
        .map((line, index) => ({ line, place: `${file}:${index + 1}` })),
    )
    .filter(({ line }) => not.test(line) && !except?.test(line));
  expect(found.map(({ place, line }) => `${place} ${line.trim()}`)).toEqual([]);
});
