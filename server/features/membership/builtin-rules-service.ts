import type { Ctx } from "@/server/platform/context";
import { newUid } from "@/server/platform/uid";

/**
 * The live counterpart of an absence rule: a device stops sending heartbeats. The offline sweep raises and resolves its
 * alerts.
 */
const deviceOffline = {
  name: "Device offline",
  description:
    "Raises an alert when a device that was online sends no heartbeat for 90 seconds, and resolves it when it is back.",
  conditionType: "absence",
  condition: { type: "absence", topic: "heartbeat", timeout: "90s" },
  actions: [{ type: "flag_for_review" }],
} as const;

/** Creates the built-in rules of a new organization, in the transaction that creates it. */
export async function createBuiltinRules(tx: Pick<Ctx, "db" | "organizationId">): Promise<void> {
  const uid = newUid("rule");
  const actions = deviceOffline.actions.map((action) => ({ ...action }));
  await tx.db.rule.create({
    data: { ...deviceOffline, actions, uid, organizationId: tx.organizationId, builtin: true },
  });
  const { condition } = deviceOffline;
  await tx.db.ruleVersion.create({ data: { ruleId: uid, version: 1, condition, actions } });
}
