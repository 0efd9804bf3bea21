import { heartbeatTopic } from "@/domain/conditions/heartbeat";
import type { Ctx } from "@/server/platform/context";
import type { Prisma } from "@/server/platform/database/generated/client";
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

/** A battery under a fifth of its charge, by each name and unit that is usual. */
const batteryLow = {
  name: "Battery low",
  description:
    "Raises an alert when the battery of a device is below 20 % for five minutes, and resolves it when it is not. It reads " +
    "`battery_percent`, `battery_percentage` and `battery`, which may be a share or percent.",
  conditionType: "composite",
  condition: {
    type: "composite",
    operator: "or",
    conditions: [
      { type: "threshold", topic: heartbeatTopic, field: "battery_percent", operator: "lt", value: 20, window: "5m" },
      {
        type: "threshold",
        topic: heartbeatTopic,
        field: "battery_percentage",
        operator: "lt",
        value: 20,
        window: "5m",
      },
      { type: "threshold", topic: heartbeatTopic, field: "battery", operator: "lt", value: 0.2, window: "5m" },
      // Above 1 it is percent: a full battery is 1 as a share.
      {
        type: "threshold",
        topic: heartbeatTopic,
        field: "battery",
        operator: "between",
        value: [1.01, 20],
        window: "5m",
      },
    ],
  },
  actions: [{ type: "flag_for_review" }],
  enabled: false,
  live: true,
} as const;

/** Creates the built-in rules of a new organization, in the transaction that creates it. */
export async function createBuiltinRules(tx: Pick<Ctx, "db" | "organizationId">): Promise<void> {
  for (const rule of [deviceOffline, batteryLow]) {
    const uid = newUid("rule");
    const condition: Prisma.InputJsonValue = JSON.parse(JSON.stringify(rule.condition));
    const actions = rule.actions.map((action) => ({ ...action }));
    await tx.db.rule.create({
      data: { ...rule, condition, actions, uid, organizationId: tx.organizationId, builtin: true },
    });
    await tx.db.ruleVersion.create({ data: { ruleId: uid, version: 1, condition, actions } });
  }
}
