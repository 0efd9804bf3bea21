import { sequenceStatuses } from "@/domain/datasets/schema";
import { toMediaKind, type DatasetSequences, type MediaKind, type ViewedItem } from "@/domain/items/viewer-schema";
import { getDataset } from "@/server/features/datasets/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";
import { likeText } from "@/server/platform/like-text";
import { keysetPage, toOrder, type Page } from "@/server/platform/pagination";
import {
  bool,
  int4,
  jsonbObject,
  notNull,
  nullable,
  oneOf,
  text,
  timestamptz,
  type Wire,
} from "@/server/platform/rows";

const sequenceRow = {
  uid: text,
  key: text,
  status: oneOf(sequenceStatuses),
  frame_count: int4,
  view_count: notNull(int4),
  first_item: nullable(text),
  has_thumbnail: nullable(bool),
  created_at: timestamptz,
};
/** A sequence as the tab of its dataset lists it. */
export type ListedSequence = Wire<typeof sequenceRow>;

/** The sequences of a dataset, by name unless ordered otherwise. Throws `not_found`. */
export async function listDatasetSequences(ctx: Ctx, input: DatasetSequences): Promise<Page<ListedSequence>> {
  const { owner, slug, limit, cursor, ordering, status, search } = input;
  const dataset = await getDataset(ctx, { owner, slug });
  return keysetPage<ListedSequence>(ctx, {
    name: "dataset-sequences",
    filters: { dataset: dataset.uid, status, search },
    page: { limit, cursor },
    ...toOrder<ListedSequence>(ordering ?? "key", "s.uid", { key: { column: "s.key", key: (row) => row.key } }),
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        sequenceRow,
        Prisma.sql`select s.uid, s.key, s.status, s.frame_count, jsonb_array_length(s.views) as view_count,
            f.uid as first_item, f.has_thumbnail, s.created_at
          from sequences s left join lateral (
            select i.uid, i.thumbnail_key is not null as has_thumbnail from items i
            where i.sequence_id = s.uid order by i.frame nulls last, i.view limit 1) f on true
          where s.dataset_id = ${dataset.uid} and s.organization_id = ${ctx.organizationId} and ${where}
            ${status ? Prisma.sql`and s.status = any(${status})` : Prisma.empty}
            ${search ? Prisma.sql`and s.key ilike ${`%${likeText(search)}%`}` : Prisma.empty}
          order by ${orderBy} limit ${rows}`,
      ),
  });
}

/** A frame of a sequence; `t_ns` of the message that it was made from, `frame_count` of a video. */
interface SequenceFrame {
  uid: string;
  frame: number;
  media: MediaKind;
  has_thumbnail: boolean;
  t_ns: string | null;
  frame_count: number;
}

export interface SequenceFrames {
  uid: string;
  key: string;
  status: (typeof sequenceStatuses)[number];
  views: { key: string; frames: SequenceFrame[] }[];
}

/** A longer sequence shows its first frames only, and says so. */
const maxFrames = 20_000;

const frameRow = {
  uid: text,
  view: text,
  frame: nullable(int4),
  media_type: text,
  has_thumbnail: notNull(bool),
  metadata: jsonbObject,
};

/** The time of a frame: of the message that it was made from. */
function readTime(metadata: Record<string, unknown>): string | null {
  const { source } = metadata;
  const ns = typeof source === "object" && source !== null && "t_ns" in source ? source.t_ns : null;
  return typeof ns === "string" && /^\d{1,20}$/.test(ns) ? ns : null;
}

/** All frames of a sequence by view, in order. Throws `not_found`. */
export async function readSequenceFrames(ctx: Ctx, { owner, slug, uid }: ViewedItem): Promise<SequenceFrames> {
  const dataset = await getDataset(ctx, { owner, slug });
  const [sequence] = await sql(
    { uid: text, key: text, status: oneOf(sequenceStatuses) },
    Prisma.sql`select s.uid, s.key, s.status from sequences s
      where s.uid = ${uid} and s.dataset_id = ${dataset.uid} and s.organization_id = ${ctx.organizationId}`,
  );
  if (!sequence) throw notFound();
  const rows = await sql(
    frameRow,
    Prisma.sql`select i.uid, i.view, i.frame, i.media_type, i.thumbnail_key is not null as has_thumbnail, i.metadata
      from items i where i.sequence_id = ${uid} and i.organization_id = ${ctx.organizationId}
      order by i.view, i.frame nulls last, i.uid limit ${maxFrames}`,
  );
  const views = new Map<string, SequenceFrame[]>();
  for (const { view, metadata, frame, media_type: type, ...row } of rows) {
    const frames = views.get(view) ?? [];
    views.set(view, frames);
    const count = typeof metadata.frame_count === "number" ? metadata.frame_count : 1;
    frames.push({
      ...row,
      media: toMediaKind(type),
      frame: frame ?? frames.length,
      t_ns: readTime(metadata),
      frame_count: count,
    });
  }
  return { ...sequence, views: [...views].map(([key, frames]) => ({ key, frames })) };
}
