import type { NeighbourRequest } from "@/domain/alerts/inbox-schema";
import { alertTables, readAlert } from "@/server/features/alerts/alert-queries";
import { demoFilter } from "@/server/features/devices/demo-queries";
import { activeSilences } from "@/server/features/silences/match-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { text } from "@/server/platform/rows";
import { listStatuses, tabPredicate } from "@/server/read-models/inbox/inbox";

interface Neighbours {
  previous: string | null;
  next: string | null;
}

/**
 * The alerts before and after one in a tab of the inbox, the worst first, for the previous and next buttons. The alert itself
 * may have left the tab: whoever acknowledges it goes on where it was. Throws `not_found`.
 */
export async function neighbours(ctx: Ctx, { uid, tab, demo }: NeighbourRequest): Promise<Neighbours> {
  await readAlert(ctx, uid);
  const silences = await activeSilences(ctx);
  const key = ["a.severity_rank", "a.triggered_at", "a.uid"];
  const findNeighbour = async (comparison: "<" | ">"): Promise<string | null> => {
    const orderBy = Prisma.raw(key.map((column) => `${column} ${comparison === ">" ? "asc" : "desc"}`).join(", "));
    const branches = listStatuses(tab).map(
      (status) => Prisma.sql`(select a.uid, a.severity_rank, a.triggered_at from ${alertTables}
        where a.organization_id = ${ctx.organizationId} and a.status = ${status} ${demoFilter("a", demo)} ${tabPredicate(tab, silences)}
          and (${Prisma.raw(key.join(", "))}) ${Prisma.raw(comparison)}
            (select s.severity_rank, s.triggered_at, s.uid from alerts s
              where s.uid = ${uid} and s.organization_id = ${ctx.organizationId})
        order by ${orderBy} limit 1)`,
    );
    const [row] = await sql(
      { uid: text },
      Prisma.sql`select a.uid from (${Prisma.join(branches, " union all ")}) a order by ${orderBy} limit 1`,
    );
    return row?.uid ?? null;
  };
  const [previous, next] = await Promise.all([findNeighbour(">"), findNeighbour("<")]);
  return { previous, next };
}
