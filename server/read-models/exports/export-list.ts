import type { ExportListFilters } from "@/domain/exports/schema";
import type { ExportResource } from "@/server/features/exports/resource";
import { getExport, listExports } from "@/server/features/exports/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import type { Page } from "@/server/platform/pagination";
import { float8, int4, nullable, oneOf, text } from "@/server/platform/rows";

const sourceKinds = ["dataset", "slice", "project"] as const;

/** What an export was made of, by name; null when it was deleted since. */
interface ExportSource {
  kind: (typeof sourceKinds)[number];
  uid: string;
  name: string | null;
}

/** An export as its screens show it. */
export interface ExportOverview extends ExportResource {
  sources: ExportSource[];
  /** The person who requested it; null when they left, or when nobody did. */
  created_by: string | null;
  /** The bucket of its file; null for Muster's own storage. */
  bucket: string | null;
  /** How many exports that wait are before it; null unless it waits. */
  waiting_before: number | null;
  /** While it is exported: how many a second so far. */
  items_per_second: number | null;
}

const extraRow = {
  uid: text,
  created_by: nullable(text),
  bucket: nullable(text),
  waiting_before: nullable(int4),
  items_per_second: nullable(float8),
};

const sourceRow = { export_uid: text, kind: oneOf(sourceKinds), uid: text, name: nullable(text) };

/** The names of every export's sources, in the order in which the export names them. */
const readSources = (ctx: Ctx, uids: readonly string[]) =>
  sql(
    sourceRow,
    Prisma.sql`select e.uid as export_uid, s.kind, s.uid, coalesce(d.name, c.name, p.name) as name
      from exports e
      cross join lateral (
        select 'dataset' as kind, 1 as rank, u.uid, u.at from unnest(e.datasets) with ordinality as u(uid, at)
        union all select 'slice', 2, u.uid, u.at from unnest(e.slices) with ordinality as u(uid, at)
        union all select 'project', 3, u.uid, u.at from unnest(e.projects) with ordinality as u(uid, at)) s
      left join datasets d on s.kind = 'dataset' and d.uid = s.uid and d.organization_id = e.organization_id
      left join slices c on s.kind = 'slice' and c.uid = s.uid and c.organization_id = e.organization_id
      left join projects p on s.kind = 'project' and p.uid = s.uid and p.organization_id = e.organization_id
      where e.organization_id = ${ctx.organizationId} and e.uid = any(${[...uids]})
      order by e.uid, s.rank, s.at`,
  );

const readExtras = (ctx: Ctx, uids: readonly string[]) =>
  sql(
    extraRow,
    Prisma.sql`select e.uid, u.username as created_by, c.name as bucket,
        case when e.status = 'requested' then (select count(*)::int from exports o
          where o.organization_id = e.organization_id and o.status = 'requested' and o.uid < e.uid) end as waiting_before,
        case when e.status = 'exporting' and e.exported_task_count > 0 and e.started_at < now()
          then e.exported_task_count / extract(epoch from now() - e.started_at)::float8 end as items_per_second
      from exports e
      left join users u on u.uid = e.created_by_id
      left join storage_configs c on c.uid = e.storage_config_id and c.organization_id = e.organization_id
      where e.organization_id = ${ctx.organizationId} and e.uid = any(${[...uids]})`,
  );

async function addNames(ctx: Ctx, exported: readonly ExportResource[]): Promise<ExportOverview[]> {
  const uids = exported.map(({ uid }) => uid);
  const [sources, extras] = await Promise.all([readSources(ctx, uids), readExtras(ctx, uids)]);
  const extraByUid = new Map(extras.map((each) => [each.uid, each]));
  const sourcesByUid = new Map<string, ExportSource[]>(uids.map((uid) => [uid, []]));
  for (const { export_uid, ...source } of sources) sourcesByUid.get(export_uid)?.push(source);
  return exported.map((each) => ({
    ...each,
    sources: sourcesByUid.get(each.uid) ?? [],
    created_by: extraByUid.get(each.uid)?.created_by ?? null,
    bucket: extraByUid.get(each.uid)?.bucket ?? null,
    waiting_before: extraByUid.get(each.uid)?.waiting_before ?? null,
    items_per_second: extraByUid.get(each.uid)?.items_per_second ?? null,
  }));
}

/** The list of exports with what its screen shows beside them. */
export async function listExportOverviews(ctx: Ctx, filters: ExportListFilters): Promise<Page<ExportOverview>> {
  const page = await listExports(ctx, filters);
  return { ...page, results: await addNames(ctx, page.results) };
}

/** One export with what its page shows beside it. Throws `not_found`. */
export async function getExportOverview(ctx: Ctx, uid: string): Promise<ExportOverview> {
  const [overview] = await addNames(ctx, [await getExport(ctx, uid)]);
  if (!overview) throw new Error("an export without an overview");
  return overview;
}
