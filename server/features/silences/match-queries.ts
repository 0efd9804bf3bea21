import { Matchers, Recurrence } from "@/domain/silences/schema";
import { mutesAt } from "@/server/features/silences/recurrence";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { jsonb, type Native, nullable, text } from "@/server/platform/rows";

const activeSilenceRow = { uid: text, matchers: jsonb(Matchers) };
export type ActiveSilence = Native<typeof activeSilenceRow>;

/** The silences that currently mute, oldest first: active and, if recurring, within their hours. */
export async function activeSilences(ctx: Ctx, now = databaseNow()): Promise<ActiveSilence[]> {
  const rows = await query(
    ctx,
    { ...activeSilenceRow, recurrence: nullable(jsonb(Recurrence)) },
    Prisma.sql`select uid, matchers, recurrence from silences
      where organization_id = ${ctx.organizationId} and ends_at > now() and starts_at <= now() order by uid`,
  );
  return rows.filter(({ recurrence }) => mutesAt(recurrence, now)).map(({ uid, matchers }) => ({ uid, matchers }));
}

/**
 * The SQL predicate that a silence matches the alert `a`: every given list must contain the alert's value, and its
 * device must have all tags.
 */
export function silencePredicate({ device_ids, rule_ids, severities, tags }: Matchers): Prisma.Sql {
  const parts = [
    device_ids?.length ? Prisma.sql`a.device_id = any(${device_ids})` : null,
    rule_ids?.length ? Prisma.sql`a.rule_id = any(${rule_ids})` : null,
    severities?.length ? Prisma.sql`a.severity = any(${severities})` : null,
    tags?.length
      ? Prisma.sql`exists (select 1 from devices sd where sd.uid = a.device_id and sd.tags @> ${tags}::text[])`
      : null,
  ].filter((part) => part !== null);
  return parts.length > 0 ? Prisma.sql`(${Prisma.join(parts, " and ")})` : Prisma.sql`false`;
}

/** The SQL predicate that any of the silences matches the alert `a`. */
export const silencedPredicate = (silences: readonly ActiveSilence[]): Prisma.Sql =>
  silences.length === 0
    ? Prisma.sql`false`
    : Prisma.sql`(${Prisma.join(
        silences.map((silence) => silencePredicate(silence.matchers)),
        " or ",
      )})`;

/** The SQL expression for the uid of the first silence that matches the alert `a`, or null. */
export function silencingCase(silences: readonly ActiveSilence[]): Prisma.Sql {
  if (silences.length === 0) return Prisma.sql`null::text`;
  const branches = silences.map(
    (silence) => Prisma.sql`when ${silencePredicate(silence.matchers)} then ${silence.uid}`,
  );
  return Prisma.sql`(case ${Prisma.join(branches, " ")} else null end)`;
}
