import { dataTypes, type DatasetPath } from "@/domain/datasets/schema";
import { momentStatuses, type MomentFilters, type MarkedObjects, type TargetFilters } from "@/domain/moments/schema";
import { getDataset, getDatasetByUid } from "@/server/features/datasets/service";
import { isVisible } from "@/server/features/membership/assignment-queries";
import type { MomentResource } from "@/server/features/moments/resource";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, sql } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";
import { likeText } from "@/server/platform/like-text";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { bool, int4, notNull, nullable, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";

const columns = Prisma.sql`m.uid, m.dataset_id as dataset_uid, m.status, m.planned, m.added, m.present, m.failed, m.error, m.note,
  m.created_by_name as created_by, m.created_at, m.finished_at,
  (select count(*)::int from moment_spans s where s.moment_id = m.uid) as spans,
  (select count(*)::int from moment_spans s where s.moment_id = m.uid and s.finished) as finished_spans`;
const momentRow = {
  uid: text,
  dataset_uid: text,
  status: oneOf(momentStatuses),
  planned: int4,
  added: int4,
  present: int4,
  failed: int4,
  error: text,
  note: text,
  created_by: text,
  created_at: timestamptz,
  finished_at: nullable(timestamptz),
  spans: int4,
  finished_spans: int4,
};

/** The additions of the organization whose dataset the caller sees. */
const visible = (ctx: Ctx): Prisma.Sql =>
  Prisma.sql`m.organization_id = ${ctx.organizationId} and ${isVisible(ctx, "dataset", Prisma.sql`m.dataset_id`)}`;

/** One addition and how far it is. Throws `not_found`. */
export async function findMoment(ctx: Ctx, uid: string): Promise<MomentResource> {
  const [row] = await query(
    ctx,
    momentRow,
    Prisma.sql`select ${columns} from moments m where m.uid = ${uid} and ${visible(ctx)}`,
  );
  if (!row) throw notFound();
  return {
    ...row,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}

/** One addition to the dataset of a path. Throws `not_found`, also for an addition to another dataset. */
export async function getMoment(ctx: Ctx, path: DatasetPath, uid: string): Promise<MomentResource> {
  const { uid: datasetId } = await getDataset(ctx, path);
  const moment = await findMoment(ctx, uid);
  if (moment.dataset_uid !== datasetId) throw notFound();
  return moment;
}

/** What was added to a dataset, the newest first. Throws `not_found`. */
export async function listMoments(
  ctx: Ctx,
  { dataset: datasetId, limit, cursor }: MomentFilters,
): Promise<Page<MomentResource>> {
  const dataset = await getDatasetByUid(ctx, datasetId);
  return keysetPage<MomentResource>(ctx, {
    name: "moments",
    filters: { dataset: dataset.uid },
    page: { limit, cursor },
    order: { columns: ["m.uid"], direction: "desc" },
    key: (moment) => [moment.uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        momentRow,
        Prisma.sql`select ${columns} from moments m where m.dataset_id = ${dataset.uid} and ${visible(ctx)} and ${where}
        order by ${orderBy} limit ${rows}`,
      ),
  });
}

const markRow = { of: notNull(text), uid: text, name: text, slug: text, owner_name: text };
/** A dataset that has items of an alert, an event or a recording. */
export type DatasetMark = Wire<typeof markRow>;

/** At most so many datasets of all objects together. */
const maxMarks = 5_000;

/** The datasets that objects were added to, `of` being the object's uid. Objects of others have none. */
export async function listMarks(
  ctx: Ctx,
  { alerts = [], events = [], recordings = [] }: MarkedObjects,
): Promise<DatasetMark[]> {
  const parts = [
    { column: Prisma.sql`s.alert_id`, uids: alerts },
    { column: Prisma.sql`s.event_id`, uids: events },
    { column: Prisma.sql`s.recording_id`, uids: recordings },
  ].filter(({ uids }) => uids.length > 0);
  if (parts.length === 0) return [];
  const selects = parts.map(
    ({
      column,
      uids,
    }) => Prisma.sql`select ${column} as of, s.moment_id from moment_spans s where ${column} = any(${[...uids]})
      and s.organization_id = ${ctx.organizationId}`,
  );
  return sql(
    markRow,
    Prisma.sql`select distinct f.of, d.uid, d.name, d.slug, o.slug as owner_name
      from (${Prisma.join(selects, " union all ")}) f join moments m on m.uid = f.moment_id join datasets d on d.uid = m.dataset_id
      join organizations o on o.uid = d.organization_id
      where ${visible(ctx)} and m.status <> 'undone' and (m.finished_at is null or m.added + m.present > 0)
      order by f.of, d.name, d.uid limit ${maxMarks}`,
  );
}

const targetRow = {
  uid: text,
  name: text,
  slug: text,
  owner_name: text,
  data_type: oneOf(dataTypes),
  item_count: int4,
  /** Whether the caller added moments to it. */
  used: bool,
};
/** A dataset that moments can be added to. */
export type MomentTarget = Wire<typeof targetRow>;
const maxTargets = 20;

/** The datasets that moments may go to, those first to which the caller added last. */
export async function listTargets(ctx: Ctx, { search }: TargetFilters): Promise<MomentTarget[]> {
  return sql(
    targetRow,
    Prisma.sql`select d.uid, d.name, d.slug, o.slug as owner_name, d.data_type, d.item_count, used.uid is not null as used
      from datasets d join organizations o on o.uid = d.organization_id
      left join lateral (select max(m.uid) as uid from moments m where m.dataset_id = d.uid and m.created_by_id = ${ctx.actor.userId ?? ""}) used
        on true
      where d.organization_id = ${ctx.organizationId} and ${isVisible(ctx, "dataset", Prisma.sql`d.uid`)}
        ${search.trim() === "" ? Prisma.empty : Prisma.sql`and d.name ilike ${`%${likeText(search.trim())}%`}`}
      order by used.uid desc nulls last, d.uid desc limit ${maxTargets}`,
  );
}
