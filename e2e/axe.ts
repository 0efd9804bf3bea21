import type { Page } from "@playwright/test";
import axe, { type RunOptions } from "axe-core";

/** What of axe depends on the theme alone. */
const colourRules = ["color-contrast", "link-in-text-block"];

/**
 * Which of axe's rules are asked: all, those that depend on the theme, or all but those, which cost the most by far.
 */
export type AxeRules = "all" | "colour" | "structure";

const chosen: Record<AxeRules, RunOptions> = {
  all: {},
  colour: { runOnly: colourRules },
  structure: { rules: Object.fromEntries(colourRules.map((id) => [id, { enabled: false }])) },
};

/**
 * What axe calls serious or critical on the page, or calls anything at all within the piece that a selector finds:
 * rule, place and what would mend it. It is asked in the page, once brought there, and only its complaints come back:
 * the rest of its report costs more than the asking.
 */
export async function axeComplaints(page: Page, rules: AxeRules, piece?: string): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(`${axe.source}; undefined`);
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
