import type { DeviceAlerts } from "@/domain/overview/schema";
import { isoTime } from "@/domain/wire-values";
import { alertColumns, alertRow, alertTables } from "@/server/features/alerts/alert-queries";
import { serializeAlert, type AlertResource, type AlertRow } from "@/server/features/alerts/resource";
import { activeSilences } from "@/server/features/silences/match-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { keysetPage, type Page } from "@/server/platform/pagination";

/** The alerts of a device in every state, the last triggered first: recordings may arrive in another order. */
export async function listDeviceAlerts(ctx: Ctx, { uid, limit, cursor }: DeviceAlerts): Promise<Page<AlertResource>> {
  const silences = await activeSilences(ctx);
  const page = await keysetPage<AlertRow>(ctx, {
    name: "device alerts",
    filters: { uid },
    page: { limit, cursor },
    order: { columns: ["a.triggered_at", "a.uid"], direction: "desc" },
    key: (alert) => [isoTime(alert.triggered_at), alert.uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        alertRow,
        Prisma.sql`
        select ${alertColumns(silences)} from ${alertTables}
        where a.organization_id = ${ctx.organizationId} and a.device_id = ${uid} and ${where}
        order by ${orderBy} limit ${rows}`,
      ),
  });
  return { ...page, results: page.results.map(serializeAlert) };
}
