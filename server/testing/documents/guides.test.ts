import fs from "node:fs";
import path from "node:path";
import { visit } from "unist-util-visit";
import { describe, expect, test } from "vitest";
import { keyCommands } from "@/components/annotation/key-commands";
import { buildGuideIndex, searchGuides } from "@/components/docs/guide-index";
import { parseGuide } from "@/components/product/markdown/parse-guide";
import { guideGroups, guideHref, guideNames, guides, resolveGuideLink } from "@/domain/docs/guides";
import { parseFilter } from "@/domain/items/filter";
import { files, readText, root } from "@/server/testing/architecture/source-tree";
import { listFences } from "@/server/testing/documents/fences";

/** The guides below /docs, as the product shows them. */

const read = (file: string) => fs.readFileSync(path.join(root, file), "utf8");
const parsed = Object.fromEntries(guideNames.map((name) => [name, parseGuide(read(guides[name].file))]));
const anchors = new Set(
  guideNames.flatMap((name) => [
    guideHref(name),
    ...(parsed[name]?.headings ?? []).map(({ id }) => guideHref(name, id)),
  ]),
);

describe.each(guideNames)("the guide %s", (name) => {
  test("has one title, in its first line", () => {
    const titles = parsed[name]?.headings.filter(({ level }) => level === 1);
    expect(titles).toHaveLength(1);
    expect(read(guides[name].file)).toMatch(/^# /);
  });

  test("links only to other guides, to their headings, and to other sites", () => {
    const targets = parsed[name]?.links.map((link) => {
      const target = resolveGuideLink(name, link);
      return target?.startsWith("#") ? guideHref(name) + target : target;
    });
    expect(targets?.filter((target) => !target || (target.startsWith("/") && !anchors.has(target)))).toEqual([]);
  });

  test("has no table of more columns than the stylesheet puts heads before on phones", () => {
    const named = read("app/globals.css").match(/td:nth-child\(\d+\)::before/g) ?? [];
    const columns: number[] = [];
    visit(parsed[name]!.tree, "element", ({ tagName, children }) => {
      if (tagName === "tr") columns.push(children.filter((cell) => cell.type === "element").length);
    });
    expect(Math.max(0, ...columns)).toBeLessThanOrEqual(named.length);
  });

  test("has code of known kinds only, and JSON that can be parsed", () => {
    const kinds =
      /^(sh|console|http|js|sql|python|filter|json( (response|part|exact|event|message|action|rule|condition|actions|scope))?)$/;
    const fences = listFences(guides[name].file);
    expect(fences.map(({ info }) => info).filter((info) => !kinds.test(info))).toEqual([]);
    for (const { text } of fences.filter(({ info }) => info.startsWith("json"))) JSON.parse(text);
  });
});

describe("the guides", () => {
  test("are compiled from the files that they name", () => {
    const texts = readText("app/docs/texts.ts");
    const imported = new Map(
      [...texts.matchAll(/^import (\w+) from "@\/(.+\.md)";$/gm)].map(([, name, file]) => [name, file]),
    );
    const listed = [...texts.matchAll(/^  "(.+\.md)": (\w+),$/gm)];
    expect(listed.map(([, , name]) => imported.get(name))).toEqual(listed.map(([, file]) => file));
    expect(listed).toHaveLength(guideNames.length);
  });

  test("belong to one group each", () => {
    expect(guideGroups.flatMap(({ names }) => names)).toEqual(guideNames);
  });

  test("have headings where the product links to them", () => {
    const links = files
      .filter((file) => /^(app|components)\//.test(file))
      .flatMap((file) => [...readText(file).matchAll(/guideHref\("([\w-]+)"(?:, "([\w-]+)")?\)/g)])
      .map(([, name, heading]) => `/docs/${name}${heading === undefined ? "" : `#${heading}`}`);
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((link) => !anchors.has(link))).toEqual([]);
  });

  test("list every key of the editor", () => {
    const names: Readonly<Record<string, string>> = {
      ...{ mod: "Ctrl", shift: "Shift", alt: "Alt", enter: "Enter", space: "Space", escape: "Esc", tab: "Tab" },
      ...{ delete: "Del", insert: "Insert", backspace: "Backspace", "": "+" },
      ...{ arrowleft: "←", arrowright: "→", arrowup: "↑", arrowdown: "↓" },
    };
    const toName = (chord: string) =>
      chord === "+"
        ? chord
        : chord
            .split("+")
            .map((key) => names[key] ?? key)
            .join("+");
    const guide = read("docs/annotation.md");
    const shown = keyCommands.filter(({ isHidden }) => !isHidden).map(({ keys: [first = ""] }) => toName(first));
    // Those with arrows and Shift or Ctrl are described with the arrows.
    const single = shown.filter((key) => !/(Shift|Ctrl)\+←/.test(key));
    expect(single.length).toBeGreaterThan(30);
    expect(single.filter((key) => !guide.includes(`\`${key}\``))).toEqual([]);
  });

  test("state filters that can be parsed", () => {
    const lines = listFences("docs/filters.md").flatMap(({ info, text }) =>
      info === "filter" ? text.trim().split("\n") : [],
    );
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) expect(parseFilter(line), line).not.toBeNull();
  });
});

describe("the search over guides", () => {
  const index = buildGuideIndex((name) => parsed[name]?.headings ?? []);
  const found = (text: string) => searchGuides(index, text).flatMap(({ guides: all }) => all);

  test("looks through less than 50 kB", () => {
    expect(JSON.stringify(index).length).toBeLessThan(50_000);
  });

  test("finds all guides without a text, and none for one that is nowhere", () => {
    expect(found(" ").map(({ name }) => name)).toEqual(guideNames);
    expect(found("zeppelin")).toEqual([]);
  });

  test("finds a guide by words in titles and headings, with the headings that have them", () => {
    expect(found("idempotency-key").map(({ name }) => name)).toEqual(["idempotency"]);
    const [webhooks] = found("Verifying message");
    expect(webhooks?.name).toBe("webhooks");
    expect(webhooks?.headings).toEqual([{ id: "verifying-a-message", text: "Verifying a message" }]);
  });
});

test("a guide's HTML is left out, and links with other schemes than the web's lose their target", () => {
  const { tree, links } = parseGuide('<script>alert(1)</script>\n\n[x](javascript:alert(1)) <img src="x" onerror="y">');
  expect(JSON.stringify(tree)).not.toMatch(/script|onerror/);
  expect(links).toEqual([]);
});
