import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readFormats } from "@/domain/recordings/file-names";
import { root } from "@/server/testing/architecture/source-tree";

const maxPictureBytes = 250_000;

describe("README.md", () => {
  const text = fs.readFileSync(path.join(root, "README.md"), "utf8");
  const pictures = [
    ...text.matchAll(
      /<picture><source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)"><img src="([^"]+)" alt="[^"]+"><\/picture>/g,
    ),
  ].map(([, dark = "", light = ""]) => ({ dark, light }));

  test("shows every picture light and dark, each of less than 250 kB", () => {
    expect(pictures.length).toBeGreaterThan(4);
    expect(text.match(/<img|!\[/g)).toHaveLength(pictures.length);
    for (const { dark, light } of pictures) {
      expect(dark).toBe(light.replace("-light.", "-dark."));
      for (const file of [dark, light])
        expect(fs.statSync(path.join(root, file)).size, file).toBeLessThan(maxPictureBytes);
    }
  });

  test("names every format that is read", () => expect(text).toContain(readFormats));

  test("is what the pictures in docs/images are for", () => {
    const shown = pictures.flatMap(({ dark, light }) => [dark, light]);
    const kept = fs.readdirSync(path.join(root, "docs/images")).map((file) => `docs/images/${file}`);
    const others = kept.filter((file) => !file.endsWith(".svg"));
    expect(others.sort()).toEqual(shown.sort());
  });
});
