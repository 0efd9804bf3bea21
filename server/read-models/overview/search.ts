import type { ShownRows } from "@/domain/demo/schema";
import { deviceStatuses } from "@/domain/devices/connectivity";
import { severities } from "@/domain/severity";
import { demoFilter } from "@/server/features/devices/demo-queries";
import type { MetricReading } from "@/server/features/devices/resource";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { likeText } from "@/server/platform/like-text";
import { bool, jsonbObject, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";
import { readFirst } from "@/server/read-models/health/readings";

const foundAlertRow = {
  uid: text,
  rule_name: text,
  message: text,
  severity: oneOf(severities),
  status: text,
  device_name: text,
  triggered_at: timestamptz,
  demo: bool,
};
export type FoundAlert = Wire<typeof foundAlertRow>;

const foundDeviceRow = {
  uid: text,
  name: text,
  type: text,
  status: oneOf(deviceStatuses),
  demo: bool,
  metrics: jsonbObject,
};

/** A device with the metric that is shown first for its type; null where it sends none. */
export type FoundDevice = Omit<Wire<typeof foundDeviceRow>, "metrics"> & { reading: MetricReading | null };

/** The devices whose name contains the text or whose uid starts with it, the newest first. */
export async function searchDevices(ctx: Ctx, typed: string, { demo }: ShownRows): Promise<FoundDevice[]> {
  const wanted = likeText(typed.trim());
  const devices = await sql(
    foundDeviceRow,
    Prisma.sql`select d.uid, d.name, d.type, d.status, d.demo, d.metrics from devices d
      where d.organization_id = ${ctx.organizationId} and (d.name ilike ${`%${wanted}%`} ${demoFilter("d", demo)} or d.uid like ${`${wanted}%`})
      order by d.uid desc limit 6`,
  );
  const readings = await readFirst(ctx, devices);
  return devices.map(({ metrics: _, ...device }, at) => ({ ...device, reading: readings[at] ?? null }));
}

/** Those of the newest 5,000 alerts whose message, rule or device contains the text, or whose uid starts with it. */
export async function searchAlerts(ctx: Ctx, typed: string, { demo }: ShownRows): Promise<FoundAlert[]> {
  const wanted = likeText(typed.trim());
  if (wanted.startsWith("alt\\_")) {
    return sql(
      foundAlertRow,
      Prisma.sql`select uid, rule_name, message, severity, status, device_name, triggered_at, demo from alerts a
      where a.organization_id = ${ctx.organizationId} and a.uid >= ${typed.trim()} and a.uid like ${`${wanted}%`} order by a.uid limit 6`,
    );
  }
  return sql(
    foundAlertRow,
    Prisma.sql`
    select uid, rule_name, message, severity, status, device_name, triggered_at, demo from (
      select a.uid, a.rule_name, a.message, a.severity, a.status, a.device_name, a.triggered_at, a.demo from alerts a
      where a.organization_id = ${ctx.organizationId} ${demoFilter("a", demo)} order by a.uid desc limit 5000) newest
    where message ilike ${`%${wanted}%`} or rule_name ilike ${`%${wanted}%`} or device_name ilike ${`%${wanted}%`}
    order by status = 'resolved', uid desc limit 6`,
  );
}

const foundRuleRow = { uid: text, name: text, enabled: bool, demo: bool };
export type FoundRule = Wire<typeof foundRuleRow>;

/** The rules whose name contains the text or whose uid starts with it, by name. */
export async function searchRules(ctx: Ctx, typed: string, { demo }: ShownRows): Promise<FoundRule[]> {
  const wanted = likeText(typed.trim());
  return sql(
    foundRuleRow,
    Prisma.sql`select uid, name, enabled, demo from rules r
    where r.organization_id = ${ctx.organizationId} and (r.name ilike ${`%${wanted}%`} ${demoFilter("r", demo)} or r.uid like ${`${wanted}%`}) order by r.name, r.uid limit 6`,
  );
}
