import { isDeepStrictEqual } from "node:util";
import type { ReadMeaning } from "@/domain/conditions/metric";
import { metricKinds, noBounds, resolveMeaning, type SavedMeaning } from "@/domain/health/meanings";
import { maxMeaningTypes, type SaveMeaning } from "@/domain/health/schema";
import { audit } from "@/server/features/audit/service";
import type { MetricMeaning } from "@/server/features/health/resource";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, transaction } from "@/server/platform/db";
import { invalid, notFound } from "@/server/platform/errors";
import { announce } from "@/server/platform/realtime/changes";
import { bool, float8, int4, type Native, nullable, oneOf, text } from "@/server/platform/rows";

const meaningRow = {
  name: text,
  device_type: text,
  label: nullable(text),
  unit: nullable(text),
  kind: nullable(oneOf(metricKinds)),
  rank: nullable(int4),
  bounded: bool,
  warning_min: nullable(float8),
  warning_max: nullable(float8),
  critical_min: nullable(float8),
  critical_max: nullable(float8),
};

const columns = Prisma.sql`name, device_type, label, unit, kind, rank, bounded, warning_min, warning_max, critical_min, critical_max`;

const serialize = ({ device_type, label, unit, kind, rank, ...row }: Native<typeof meaningRow>): SavedMeaning => {
  const { warning_min, warning_max, critical_min, critical_max } = row;
  const bounds = row.bounded ? { warning_min, warning_max, critical_min, critical_max } : null;
  return { device_type, label, unit, kind, rank, bounds };
};

/** What the organization says about metrics, by name: for every type first, then by type. */
export async function readMeanings(ctx: Ctx, names: readonly string[]): Promise<Map<string, SavedMeaning[]>> {
  const meanings = new Map<string, SavedMeaning[]>();
  if (names.length === 0) return meanings;
  const rows = await query(
    ctx,
    meaningRow,
    Prisma.sql`select ${columns} from metric_meanings
      where organization_id = ${ctx.organizationId} and name = any(${[...names]}::text[]) order by name, device_type`,
  );
  for (const row of rows) meanings.set(row.name, [...(meanings.get(row.name) ?? []), serialize(row)]);
  return meanings;
}

/** What metrics mean for devices of a type, or for every type, by what was read of the organization. */
export const meaningsFor =
  (saved: ReadonlyMap<string, readonly SavedMeaning[]>, deviceType: string | null = null): ReadMeaning =>
  (name, sample) =>
    resolveMeaning(name, saved.get(name) ?? [], deviceType, sample);

/** Keeps others from saying something about metrics of the organization until the end of the transaction. */
const lockMeanings = (tx: Ctx): Promise<number> =>
  execute(tx, Prisma.sql`select pg_advisory_xact_lock(hashtextextended(${`meanings ${tx.organizationId}`}, 0))`);

/** Throws `not_found` for a name that no device of the organization has sent. */
export async function requireMetric(ctx: Ctx, name: string): Promise<void> {
  const { organizationId } = ctx;
  const found = await ctx.db.metricName.findUnique({ where: { organizationId_name: { organizationId, name } } });
  if (!found) throw notFound();
}

/**
 * Says what a metric means, for devices of a type or of every type. Returns all that is said for those then. Throws
 * `not_found` for a name that no device has sent, and `invalid("device_type")` for too many types.
 */
export async function saveMeaning(
  ctx: Ctx,
  name: string,
  { device_type: deviceType, ...input }: SaveMeaning,
): Promise<MetricMeaning> {
  return transaction(ctx, async (tx) => {
    await requireMetric(tx, name);
    await lockMeanings(tx);
    const saved = (await readMeanings(tx, [name])).get(name) ?? [];
    const before = saved.find((each) => each.device_type === deviceType);
    if (!before && saved.length > maxMeaningTypes)
      throw invalid("device_type", `Ensure no more than ${maxMeaningTypes} types have a meaning of their own.`);
    const after: MetricMeaning = {
      device_type: deviceType,
      label: input.label === undefined ? (before?.label ?? null) : input.label,
      unit: input.unit === undefined ? (before?.unit ?? null) : input.unit,
      kind: input.kind === undefined ? (before?.kind ?? null) : input.kind,
      rank: input.rank === undefined ? (before?.rank ?? null) : input.rank,
      bounds: input.bounds === undefined ? (before?.bounds ?? null) : input.bounds,
    };
    if (isDeepStrictEqual(after, before)) return after;
    const { label, unit, kind, rank, bounds } = after;
    if ([label, unit, kind, rank, bounds].every((said) => said === null)) {
      if (before) await remove(tx, name, before);
      return after;
    }
    const { organizationId } = tx;
    const limits = bounds ?? noBounds;
    const row = {
      ...{ label, unit, kind, rank, bounded: bounds !== null },
      ...{ warningMin: limits.warning_min, warningMax: limits.warning_max },
      ...{ criticalMin: limits.critical_min, criticalMax: limits.critical_max },
    };
    await tx.db.metricMeaning.upsert({
      where: { organizationId_name_deviceType: { organizationId, name, deviceType } },
      create: { organizationId, name, deviceType, ...row },
      update: row,
    });
    await audit(tx, {
      action: "metric_meaning.saved",
      targetType: "metric_meaning",
      targetId: name,
      targetName: name,
      ...(before && { before }),
      after,
    });
    await announce(tx, "metric_meaning", "", "updated");
    return after;
  });
}

/** Goes back to the guess, for devices of a type or of every type. Throws `not_found` as `saveMeaning` does. */
export async function deleteMeaning(ctx: Ctx, name: string, deviceType: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    await requireMetric(tx, name);
    await lockMeanings(tx);
    const saved = (await readMeanings(tx, [name])).get(name)?.find((each) => each.device_type === deviceType);
    if (saved) await remove(tx, name, saved);
  });
}

async function remove(tx: Ctx, name: string, before: SavedMeaning): Promise<void> {
  const { organizationId } = tx;
  await tx.db.metricMeaning.deleteMany({ where: { organizationId, name, deviceType: before.device_type } });
  await audit(tx, {
    action: "metric_meaning.deleted",
    targetType: "metric_meaning",
    targetId: name,
    targetName: name,
    before,
  });
  await announce(tx, "metric_meaning", "", "updated");
}
