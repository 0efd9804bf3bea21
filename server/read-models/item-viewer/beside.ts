import type { ViewedItem } from "@/domain/items/viewer-schema";
import { getDataset } from "@/server/features/datasets/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { bool, int4, jsonbObject, notNull, nullable, text, type Wire } from "@/server/platform/rows";

/** Nanoseconds within which a picture is of the same time. */
const togetherNs = 100_000_000;
const maxPictures = 8;

const besideRow = {
  uid: text,
  key: text,
  /** The topic or the view of its camera. */
  camera: notNull(text),
  has_thumbnail: notNull(bool),
  /** In pixels; 0 where they are not known. */
  width: notNull(int4),
  height: notNull(int4),
  /** How its camera maps places to pixels, and where it was, as the metadata of the picture says it. */
  calibration: nullable(jsonbObject),
  pose: nullable(jsonbObject),
};
/** What a camera saw at the time of another item. */
export type BesidePicture = Wire<typeof besideRow>;

/**
 * The pictures of an item's dataset that were taken at its time: of the same recording within a tenth of a second, the
 * nearest of each camera, or of the same frame of its sequence. Throws `not_found` for an unknown dataset.
 */
export async function listPicturesBeside(ctx: Ctx, { owner, slug, uid }: ViewedItem): Promise<BesidePicture[]> {
  const dataset = await getDataset(ctx, { owner, slug });
  const ofDataset = (table: string) =>
    Prisma.sql`${Prisma.raw(table)}.dataset_id = ${dataset.uid}
      and ${Prisma.raw(table)}.organization_id = ${ctx.organizationId}`;
  const isPicture = Prisma.sql`i.media_type like 'image/%' and i.status <> 'pending'`;
  const camera = Prisma.sql`coalesce(i.metadata #>> '{source,topic}', i.view, '') as camera`;
  const size = (name: string) =>
    Prisma.sql`case when jsonb_typeof(i.metadata->${name}) = 'number' then least((i.metadata->>${name})::numeric, 1000000)::int
      else 0 end`;
  const object = (name: string) =>
    Prisma.sql`case when jsonb_typeof(i.metadata->${name}) = 'object' then i.metadata->${name} end`;
  const columns = Prisma.sql`${camera}, i.thumbnail_key is not null as has_thumbnail, ${size("width")} as width,
    ${size("height")} as height, ${object("calibration")} as calibration, ${object("pose")} as pose`;
  return sql(
    besideRow,
    Prisma.sql`with anchor as materialized (
        select a.uid, a.recording_id, a.t_ns, a.sequence_id, a.frame from items a where a.uid = ${uid} and ${ofDataset("a")}),
      found as (
        select i.uid, i.key, ${columns}, abs(i.t_ns - a.t_ns) as apart
        from anchor a join items i on i.recording_id = a.recording_id
          and i.t_ns between a.t_ns - ${togetherNs}::bigint and a.t_ns + ${togetherNs}::bigint
        where ${ofDataset("i")} and i.uid <> a.uid and ${isPicture}
        union
        select i.uid, i.key, ${columns}, 0
        from anchor a join items i on i.sequence_id = a.sequence_id and i.frame = a.frame
        where ${ofDataset("i")} and a.t_ns is null and i.uid <> a.uid and ${isPicture})
      select n.uid, n.key, n.camera, n.has_thumbnail, n.width, n.height, n.calibration, n.pose
      from (select distinct on (f.camera) f.* from found f order by f.camera, f.apart, f.uid) n
      order by n.camera limit ${maxPictures}`,
  );
}
