import { expect, test } from "vitest";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer } from "@/components/testing/network";
import { useAlertBadges } from "./alert-badges";
import { Rail } from "./rail";

const Shown = ({ collapsed }: { collapsed: boolean }) => (
  <div className="flex h-150">
    <Rail collapsed={collapsed} onToggle={() => {}} badges={useAlertBadges()} />
  </div>
);

test.each([false, true])(
  "open alerts are counted in the rail, for eyes and screen readers (collapsed: %s)",
  async (collapsed) => {
    answer("alerts.openBadge", { count: 12, worst: "critical", ceiling: 1_000 });
    const screen = await show(<Shown collapsed={collapsed} />, "/recordings");
    const link = screen.getByRole("link", { name: /^Alerts\s*12 open, worst critical$/ });
    await expect.element(link).toBeVisible();
    await expect.element(link.getByText("12")).toBeVisible();
    await expectGoodLooks();
  },
);
