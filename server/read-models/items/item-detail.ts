import { itemStatuses } from "@/domain/datasets/item-status";
import type { ItemDetailQuery } from "@/domain/slices/grid-schema";
import { getDatasetByUid } from "@/server/features/datasets/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";
import { bool, int4, int8, jsonbObject, nullable, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";

const detailRow = {
  uid: text,
  key: text,
  status: oneOf(itemStatuses),
  media_type: text,
  metadata: jsonbObject,
  annotations_count: int4,
  size_bytes: int8,
  tint: nullable(text),
  has_thumbnail: bool,
  sequence: nullable(text),
  view: text,
  frame: nullable(int4),
  created_at: timestamptz,
  added_by: nullable(text),
  /** The names of what it was made from, as far as they are there. */
  recording_name: nullable(text),
  device_name: nullable(text),
  rule_name: nullable(text),
};

/** An item with everything that is stored about it. */
export type ItemDetail = Wire<typeof detailRow>;

const source = (key: string) => Prisma.sql`i.metadata #>> ${["source", key]}::text[]`;

/** One item of a dataset. Throws `not_found`. */
export async function getItemDetail(ctx: Ctx, { dataset, uid }: ItemDetailQuery): Promise<ItemDetail> {
  await getDatasetByUid(ctx, dataset);
  const [row] = await sql(
    detailRow,
    Prisma.sql`select i.uid, i.key, i.status, i.media_type, i.metadata, i.annotation_count as annotations_count, i.size_bytes,
        i.tint, i.thumbnail_key is not null as has_thumbnail, s.key as sequence, i.view, i.frame, i.created_at,
        u.username as added_by, r.name as recording_name, d.name as device_name, n.name as rule_name
      from items i
      left join sequences s on s.uid = i.sequence_id
      left join users u on u.uid = i.added_by_id
      left join recordings r on r.uid = coalesce(${source("recording_id")}, i.recording_id)
        and r.organization_id = i.organization_id
      left join devices d on d.uid = ${source("device_id")} and d.organization_id = i.organization_id
      left join rules n on n.uid = ${source("rule_id")} and n.organization_id = i.organization_id
      where i.uid = ${uid} and i.dataset_id = ${dataset} and i.organization_id = ${ctx.organizationId}`,
  );
  if (!row) throw notFound();
  return row;
}
