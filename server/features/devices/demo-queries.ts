import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { bool } from "@/server/platform/rows";

/** Whether the organization has a device that is not of the demo fleet. */
export async function hasOwnDevice(ctx: Ctx): Promise<boolean> {
  const [row] = await sql(
    { own: bool },
    Prisma.sql`select exists (
      select 1 from devices where organization_id = ${ctx.organizationId} and not demo) as own`,
  );
  return row?.own ?? false;
}

/**
 * Whether a table has rows of the demo. Where it has none, a statement that leaves them out reads each row for nothing,
 * beside an index that holds all else.
 */
export async function hasDemoRows(ctx: Ctx, table: "alerts" | "devices" | "recordings"): Promise<boolean> {
  const [row] = await sql(
    { demo: bool },
    Prisma.sql`select exists (
      select 1 from ${Prisma.raw(table)} where organization_id = ${ctx.organizationId} and demo) as demo`,
  );
  return row?.demo ?? false;
}

/** `and …` for a filter by demo: constants, so that the partial indexes of demo rows are used. */
export const demoFilter = (alias: "a" | "d" | "e" | "g" | "p" | "r" | "w", demo: boolean | undefined): Prisma.Sql =>
  demo === undefined ? Prisma.empty : Prisma.raw(`and ${demo ? "" : "not "}${alias}.demo`);

interface MayNameObjects {
  demo?: boolean | undefined;
  device_id?: string | undefined;
  recording_id?: string | undefined;
  rule_id?: string | undefined;
  channel_id?: string | undefined;
}

/**
 * The one rule about demo rows, for all lists and counts of the dashboard: they hold what a person chose to see, the
 * demo fleet, the organization's own, or both. Naming an object shows what belongs to it, whichever of the two it is of.
 */
export function applyDemoRule<F extends MayNameObjects>(filters: F): F {
  const { device_id: device, recording_id: recording, rule_id: rule, channel_id: channel } = filters;
  return (device ?? recording ?? rule ?? channel) === undefined ? filters : { ...filters, demo: undefined };
}
