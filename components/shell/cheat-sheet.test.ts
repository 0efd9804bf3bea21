import { expect, test } from "vitest";
import type { Shortcut } from "@/components/kit/shortcuts";
import { groupShortcuts } from "./cheat-sheet";

const shortcut = (keys: string, group: string, label: string, rest: Partial<Shortcut> = {}): Shortcut => ({
  keys,
  group,
  label,
  run: () => {},
  ...rest,
});

test("the cheat sheet lists the page's keys first, and keys with two meanings once, with the one in force", () => {
  const groups = groupShortcuts([
    shortcut("mod+k", "Anywhere", "Search and commands"),
    shortcut("[", "Anywhere", "Collapse or expand navigation"),
    shortcut("g d", "Go to", "Devices"),
    shortcut("x", "Timeline", "Hidden", { hidden: true }),
    shortcut("[", "Timeline", "Previous event"),
  ]);
  expect(groups.map(([group, lines]) => [group, lines.map(({ label }) => label)])).toEqual([
    ["Timeline", ["Previous event"]],
    ["Go to", ["Devices"]],
    ["Anywhere", ["Search and commands"]],
  ]);
});
