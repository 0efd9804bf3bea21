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

/** `and …`: the rows that are counted, of a table with this alias. */
export const countedRows = (alias: "a" | "d" | "r", hasOwn: boolean): Prisma.Sql =>
  hasOwn ? Prisma.raw(`and not ${alias}.demo`) : Prisma.empty;

/** `and …` for a filter by demo: constants, so that the partial indexes of demo rows are used. */
export const demoFilter = (alias: "a" | "d" | "e" | "r" | "w", demo: boolean | undefined): Prisma.Sql =>
  demo === undefined ? Prisma.empty : Prisma.raw(`and ${demo ? "" : "not "}${alias}.demo`);

interface MayNameObjects {
  demo?: boolean | undefined;
  device_id?: string | undefined;
  recording_id?: string | undefined;
  rule_id?: string | undefined;
  channel_id?: string | undefined;
}

/**
 * The one rule about demo rows, for all lists and counts of the dashboard: the demo fleet stands in for an organization's
 * own data until it has a device of its own. From then on its rows are counted and listed only where they are asked
 * for: by `demo`, or by naming the object that they belong to.
 */
export async function applyDemoRule<F extends MayNameObjects>(ctx: Ctx, filters: F): Promise<F> {
  const { demo, device_id: device, recording_id: recording, rule_id: rule, channel_id: channel } = filters;
  if (demo !== undefined || (device ?? recording ?? rule ?? channel) !== undefined) return filters;
  return (await hasOwnDevice(ctx)) ? { ...filters, demo: false } : filters;
}
