import { heartbeatTopic } from "@/domain/conditions/heartbeat";
import { batteryNames } from "@/domain/health/meanings";
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

const lowFor = (
  field: string,
  bound: { operator: "lt"; value: number } | { operator: "between"; value: number[] },
) => ({
  ...{ type: "threshold", topic: heartbeatTopic, field, window: "5m" },
  ...bound,
});

/** A battery under a fifth of its charge, by each name and unit that is usual. */
const batteryLow = {
  name: "Battery low",
  description:
    "Raises an alert when the battery of a device is below 20 % for five minutes, and resolves it when it is not. It reads " +
    "what is known to be a battery by its name, such as `battery`, `soc` or `battery_percent`, as a share or percent.",
  conditionType: "composite",
  condition: {
    type: "composite",
    operator: "or",
    conditions: [
      ...batteryNames.percents.map((name) => lowFor(name, { operator: "lt", value: 20 })),
      ...batteryNames.shares.flatMap((name) => [
        lowFor(name, { operator: "lt", value: 0.2 }),
        // Above 1 it is percent: a full battery is 1 as a share.
        lowFor(name, { operator: "between", value: [1.01, 20] }),
      ]),
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
