import fs from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";
import type axe from "axe-core";
import type { RunOptions } from "axe-core";

/** Minified: a page takes half the time to read it. */
const source = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The axe rules that depend on the theme alone. */
const colourRules = ["color-contrast", "link-in-text-block"];

/**
 * Which of axe's rules run: all, those that depend on the theme, or all but those, which are by far the slowest.
 */
export type AxeRules = "all" | "colour" | "structure";

const chosen: Record<AxeRules, RunOptions> = {
  all: {},
  colour: { runOnly: colourRules },
  structure: { rules: Object.fromEntries(colourRules.map((id) => [id, { enabled: false }])) },
};

/**
 * Axe's serious and critical violations on the page, or all of them within a selector: rule, place and fix. Only the
 * violations are returned, because transferring the full report takes longer than the check.
 */
export async function axeComplaints(page: Page, rules: AxeRules, piece?: string): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(`${source}; undefined`);
  return page.evaluate(
    async ({ options, piece }) => {
      const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(piece ?? document, options);
      return violations
        .filter(({ impact }) => piece !== undefined || impact === "serious" || impact === "critical")
        .flatMap(({ id, nodes }) =>
          nodes.map(({ target, failureSummary }) => `${id} at ${target.join(" ")}: ${failureSummary}`),
        );
    },
    { options: { ...chosen[rules], resultTypes: ["violations"], preload: false } satisfies RunOptions, piece },
  );
}
