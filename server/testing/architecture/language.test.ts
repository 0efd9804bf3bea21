import { expect, test } from "vitest";
import { files, readText } from "@/server/testing/architecture/source-tree";

/** Words that docs/glossary.md replaces by the terms of the field ("Say this, not that"), and where they may stand. */
const refused: { say: string; not: RegExp; except?: RegExp }[] = [
  { say: "transport, router, handler, entry", not: /\bdoors?\b/i },
  { say: "timeout, retry policy, threshold", not: /\bpatien(ce|t)/i },
  { say: "fatal error", not: /hopeless/i },
  { say: "seed, seeded", not: /furnish/i },
  { say: "unmatched", not: /homeless/i },
  { say: "dropped, refused", not: /turn(s|ed)? ?away/i },
  { say: "stop listening", not: /deafen/i },
  { say: "received, reported", not: /\bheard\b|\btold\b/i },
  { say: "concurrency", not: /AtOnce\b|\batOnce\b/ },
  { say: "Muster, the installation", not: /\bthe house\b/i, except: /"In the house"/ },
  { say: "max", not: /\b(most|longest|deepest|largest)[A-Z]\w*/ },
  { say: "labels, texts, describe…", not: /\b[a-z]+Words\b/ },
  { say: "a verb: getX, listX, readX, toX", not: /\b(const|let|function\*?)\s+(?!oneOf|arrayOf|parseOneOf)\w+Of\b/ },
];

const self = "server/testing/architecture/language.test.ts";

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
