import type { Condition } from "@/domain/conditions/condition";
import type { Issue } from "@/domain/issues";
import { listUnfitActions, type Action } from "@/domain/rules/actions";
import { listReferences, type Scope } from "@/domain/rules/scope";
import { existingChannels } from "@/server/features/channels/queue-service";
import { unknownDevices } from "@/server/features/devices/service";
import { findIntegration } from "@/server/features/models/integration-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { invalidInput } from "@/server/platform/errors";
import { text } from "@/server/platform/rows";

const absent = (id: string): string => `Invalid pk "${id.slice(0, 100)}" - object does not exist.`;

async function unknownGroups(ctx: Ctx, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  return (
    await query(
      ctx,
      { id: text },
      Prisma.sql`select id from unnest(${[...ids]}::text[]) as id where not exists (select 1 from device_groups g
        where g.uid = id and g.organization_id = ${ctx.organizationId})`,
    )
  ).map(({ id }) => id);
}

/** Throws `invalid` at `actions` for those that a rule with this condition cannot take. */
export function checkActions(condition: Condition, actions: readonly { type?: unknown }[]): void {
  const issues = listUnfitActions(condition, actions);
  if (issues.length > 0) throw invalidInput(issues);
}

/**
 * Checks that everything a rule names exists in the organization. Throws `invalid` at `actions` or `scope`, the same
 * for an object of another organization as for one that does not exist.
 */
export async function checkReferences(ctx: Ctx, actions: readonly Action[], scope: Scope): Promise<void> {
  const { channelIds, deviceIds, groupIds, pipelineIds } = listReferences(actions, scope);
  const channels = new Set(await existingChannels(ctx, channelIds));
  const devices = deviceIds.length === 0 ? [] : await unknownDevices(ctx, deviceIds);
  const groups = await unknownGroups(ctx, groupIds);
  const missingPipelines = new Set<string>();
  for (const uid of pipelineIds) if (!(await findIntegration(ctx, uid))) missingPipelines.add(uid);
  const issues = [
    ...actions.flatMap((action, index): Issue[] => {
      if (action.type === "notify" && !channels.has(action.channel_id))
        return [{ path: ["actions", index, "channel_id"], message: absent(action.channel_id) }];
      if (action.type === "auto_label" && missingPipelines.has(action.pipeline_id))
        return [{ path: ["actions", index, "pipeline_id"], message: absent(action.pipeline_id) }];
      return [];
    }),
    ...devices.map((id) => ({ path: ["scope", "device_ids"], message: absent(id) })),
    ...groups.map((id) => ({ path: ["scope", "group_ids"], message: absent(id) })),
  ];
  if (issues.length > 0) throw invalidInput(issues);
}
