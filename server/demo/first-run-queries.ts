import { z } from "zod";
import { unresolvedStatuses } from "@/domain/alerts/lifecycle";
import { firstStepKeys, type FirstStep, type seenSteps } from "@/domain/demo/first-steps";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query } from "@/server/platform/db";
import { bool, jsonb } from "@/server/platform/rows";

export interface FirstSteps {
  dismissed: boolean;
  done: Record<FirstStep, boolean>;
  /** The noisy rule of the demo, whose threshold is worth editing, with its number of alerts. */
  noisy: { uid: string; name: string; alerts: number } | null;
  /** An unresolved alert with a recording, whose evidence is worth a look. */
  alert_uid: string | null;
}

const stepsRow = {
  first_run: jsonb(z.object({ dismissed: z.boolean().optional() })),
  evidence: bool,
  backtest: bool,
  device: bool,
  recording: bool,
  channel: bool,
  teammate: bool,
};

/**
 * Which of the first steps the caller has taken: views are stored with the membership, the rest is derived from the
 * data.
 */
export async function firstSteps(ctx: Ctx): Promise<FirstSteps> {
  const org = ctx.organizationId;
  const none: Record<FirstStep, boolean> = {
    evidence: false,
    backtest: false,
    device: false,
    recording: false,
    channel: false,
    teammate: false,
  };
  const [row] = await query(
    ctx,
    stepsRow,
    Prisma.sql`select m.first_run,
      coalesce((m.first_run->>'evidence')::boolean, false) as evidence,
      coalesce((m.first_run->>'backtest')::boolean, false)
        or exists (select 1 from rules r join rule_versions v on v.rule_id = r.uid
          where r.organization_id = ${org} and v.version > 1) as backtest,
      exists (select 1 from devices where organization_id = ${org} and not demo and last_seen_at is not null) as device,
      exists (select 1 from recordings where organization_id = ${org} and not demo and status in ('processing', 'ready', 'archived')) as recording,
      exists (select 1 from channels c join notifications n on n.channel_id = c.uid
        where c.organization_id = ${org} and not c.demo and n.status = 'delivered') as channel,
      (select count(*) from (select 1 from memberships where organization_id = ${org} limit 2) two) > 1
        or exists (select 1 from invitations where organization_id = ${org}) as teammate
      from memberships m where m.organization_id = ${org} and m.user_id = ${ctx.actor.userId}`,
  );
  if (!row) return { dismissed: true, done: none, noisy: null, alert_uid: null };
  const [noisy, alert] = await Promise.all([
    ctx.db.rule.findFirst({
      where: { organizationId: org, demo: true },
      orderBy: { hitCount: "desc" },
      select: { uid: true, name: true },
    }),
    ctx.db.alert.findFirst({
      where: { organizationId: org, status: { in: [...unresolvedStatuses] }, recordingId: { not: null } },
      orderBy: [{ severityRank: "desc" }, { uid: "desc" }],
      select: { uid: true },
    }),
  ]);
  const alertCount = noisy ? await ctx.db.alert.count({ where: { organizationId: org, ruleId: noisy.uid } }) : 0;
  return {
    dismissed: row.first_run.dismissed === true,
    done: Object.fromEntries(firstStepKeys.map((key) => [key, row[key]])) as Record<FirstStep, boolean>,
    noisy: noisy && alertCount > 0 ? { uid: noisy.uid, name: noisy.name, alerts: alertCount } : null,
    alert_uid: alert?.uid ?? null,
  };
}

const saveFirstRun = async (ctx: Ctx, values: Record<string, boolean>): Promise<FirstSteps> => {
  await execute(
    ctx,
    Prisma.sql`update memberships set first_run = first_run || ${JSON.stringify(values)}::jsonb
      where organization_id = ${ctx.organizationId} and user_id = ${ctx.actor.userId}`,
  );
  return firstSteps(ctx);
};

/** Records a step that only the browser can observe. */
export const tickStep = (ctx: Ctx, step: (typeof seenSteps)[number]): Promise<FirstSteps> =>
  saveFirstRun(ctx, { [step]: true });

/** Dismisses the caller's list of first steps, or restores it. */
export const dismissSteps = (ctx: Ctx, dismissed: boolean): Promise<FirstSteps> => saveFirstRun(ctx, { dismissed });
