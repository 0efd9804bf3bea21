import { expect, test } from "vitest";
import { show } from "@/components/testing/host";
import { answer } from "@/components/testing/network";
import { sample } from "@/components/testing/sample";
import { readEvidence } from "@/domain/alerts/evidence";
import { AlertDetail } from "@/server/features/alerts/resource";
import { GoodRunLink } from "./good-run-link";

const alert = {
  ...sample(AlertDetail, { uid: "alr_1", recording_id: "rec_1", triggered_at: "2026-11-20T14:05:00.000Z" }),
  evidence: readEvidence({ rule_version: 1, topic: "/motor", leaves: [] }),
  guidance: { runbook: "", owner: null },
};

test("an alert leads to the last good run, or says why there is none, without a pointer over it", async () => {
  answer("recordings.lastGoodRun", { uid: "rec_0", name: "Good" });
  const found = await show(<GoodRunLink alert={alert} recording="rec_1" plots={[]} />, "/alerts/alr_1");
  const link = found.getByRole("link", { name: "Compare with the last good run" });
  await expect.element(link).toHaveAttribute("href", expect.stringMatching(/compare\?a=rec_1&b=rec_0/));
  answer("recordings.lastGoodRun", null);
  const other = { ...alert, uid: "alr_2" };
  const none = await show(<GoodRunLink alert={other} recording="rec_1" plots={[]} />, "/alerts/alr_2");
  await expect
    .element(none.getByText("This device has no earlier recording without alerts of this rule."))
    .toBeVisible();
});
