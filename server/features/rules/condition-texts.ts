import { toSaved } from "@/domain/conditions/condition";
import { listMetrics } from "@/domain/conditions/heartbeat";
import { meaningsFor, readMeanings } from "@/server/features/health/meaning-service";
import { conditionText } from "@/server/features/rules/resource";
import type { Ctx } from "@/server/platform/context";

/** The metrics of a stored condition; none where the current schema refuses it. */
function findMetrics(condition: unknown): string[] {
  try {
    return listMetrics(toSaved(condition));
  } catch {
    return [];
  }
}

/** How stored conditions read, metrics of heartbeats by what the organization says that they mean. */
export async function readConditionTexts(
  ctx: Ctx,
  conditions: readonly unknown[],
): Promise<(condition: unknown) => string> {
  const meanings = await readMeanings(ctx, [...new Set(conditions.flatMap(findMetrics))]);
  return (condition) => conditionText(condition, meaningsFor(meanings));
}
