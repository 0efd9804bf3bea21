import axe, { type RunOptions } from "axe-core";
import { expect } from "vitest";
import { page } from "vitest/browser";

const widths = { desk: [1440, 900], phone: [390, 844] } as const;
const colourRules = ["color-contrast", "link-in-text-block"];
/** Of a whole page, which a part of one is not. */
const pageRules = ["landmark-one-main", "page-has-heading-one", "region"];
const structure: RunOptions = { rules: Object.fromEntries(pageRules.map((id) => [id, { enabled: false }])) };

/** Fails on what axe calls serious or critical, naming the rule and where. */
async function expectNoComplaints(options: RunOptions): Promise<void> {
  for (const animation of document.getAnimations()) {
    if (animation.effect?.getComputedTiming().iterations !== Infinity) animation.finish();
  }
  const { violations } = await axe.run(document, { ...options, resultTypes: ["violations"], preload: false });
  const complaints = violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id} at ${node.target.join(" ")}: ${node.failureSummary}`));
  expect(complaints).toEqual([]);
}

/** Checks what is shown on desktop and phone, light and dark: it is accessible, and nothing reaches over its sides. */
export async function expectGoodLooks(): Promise<void> {
  for (const [width, height] of [widths.desk, widths.phone]) {
    await page.viewport(width, height);
    for (const theme of ["light", "dark"]) {
      document.documentElement.dataset.theme = theme;
      await expectNoComplaints(theme === "light" ? structure : { runOnly: colourRules });
    }
    const { scrollWidth, clientWidth } = document.documentElement;
    expect(scrollWidth, "width of the page").toBeLessThanOrEqual(clientWidth);
  }
}
