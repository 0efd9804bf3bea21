import { itemStatuses } from "@/domain/datasets/item-status";
import type { dataTypes } from "@/domain/datasets/schema";
import { ItemSource, toMediaKind, type MediaKind, type ViewedItem } from "@/domain/items/viewer-schema";
import { resultStatuses, taskStatuses } from "@/domain/tasks/schema";
import { maxNs } from "@/domain/time/nanoseconds";
import { getDataset } from "@/server/features/datasets/service";
import { isVisible } from "@/server/features/membership/assignment-queries";
import { getTask } from "@/server/features/tasks/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";
import {
  bool,
  int4,
  int8,
  jsonbObject,
  notNull,
  nullable,
  oneOf,
  text,
  timestamptz,
  type Wire,
} from "@/server/platform/rows";

const itemRow = {
  uid: text,
  key: text,
  status: oneOf(itemStatuses),
  media_type: text,
  metadata: jsonbObject,
  size_bytes: int8,
  annotations_count: int4,
  /** The mean colour of its picture. */
  tint: nullable(text),
  created_at: timestamptz,
  has_thumbnail: notNull(bool),
  sequence_uid: nullable(text),
  sequence_key: nullable(text),
  view: text,
  frame: nullable(int4),
  recording_id: nullable(text),
  added_by_uid: nullable(text),
  added_by: nullable(text),
};

/** An object that an item came from: a link where it is still there. */
interface SourceLink {
  kind: "device" | "recording" | "alert" | "event" | "rule";
  uid: string;
  name: string | null;
  exists: boolean;
}

export interface Viewed extends Omit<Wire<typeof itemRow>, "recording_id"> {
  media: MediaKind;
  dataset: { uid: string; name: string; slug: string; owner_name: string; data_type: (typeof dataTypes)[number] };
  source: { links: SourceLink[]; topic: string | null; t_ns: string | null };
  tasks: ItemTask[];
  results: ItemResult[];
}

const taskRow = {
  uid: text,
  project_uid: text,
  project_name: text,
  status: oneOf(taskStatuses),
  assignee: nullable(text),
  updated_at: timestamptz,
};
type ItemTask = Wire<typeof taskRow>;

const resultRow = {
  uid: text,
  task_uid: text,
  project_name: text,
  status: oneOf(resultStatuses),
  annotation_count: int4,
  submitted_by: text,
  created_at: timestamptz,
};
type ItemResult = Wire<typeof resultRow>;

const maxListed = 20;

/** The names of what an item came from, by kind, of what is still there. */
async function findNames(ctx: Ctx, source: ItemSource): Promise<Map<string, string>> {
  const { organizationId } = ctx;
  const of = (kind: string, table: string, name: string, uid: string | undefined) =>
    Prisma.sql`select ${kind} as kind, ${Prisma.raw(name)} as name from ${Prisma.raw(table)} x
      where x.uid = ${uid ?? ""} and x.organization_id = ${organizationId}`;
  const rows = await sql(
    { kind: notNull(text), name: notNull(text) },
    Prisma.sql`${of("device", "devices", "x.name", source.device_id)}
      union all ${of("recording", "recordings", "x.name", source.recording_id)}
      union all ${of("alert", "alerts", "x.message", source.alert_id)}
      union all ${of("event", "events", "x.label", source.event_id)}
      union all ${of("rule", "rules", "x.name", source.rule_id)}`,
  );
  return new Map(rows.map(({ kind, name }) => [kind, name]));
}

async function readSource(ctx: Ctx, metadata: Record<string, unknown>, recordingId: string | null) {
  const parsed = ItemSource.safeParse(metadata.source);
  const found: ItemSource = parsed.success ? parsed.data : {};
  const source = { ...found, recording_id: found.recording_id ?? recordingId ?? undefined };
  const names = await findNames(ctx, source);
  const link = (kind: SourceLink["kind"], uid: string | undefined, name?: string): SourceLink[] =>
    uid === undefined ? [] : [{ kind, uid, name: names.get(kind) ?? name ?? null, exists: names.has(kind) }];
  return {
    links: [
      ...link("device", source.device_id, source.device_name),
      ...link("recording", source.recording_id),
      ...link("alert", source.alert_id),
      ...link("event", source.event_id),
      ...link("rule", source.rule_id),
    ],
    topic: source.topic ?? null,
    t_ns: source.t_ns !== undefined && BigInt(source.t_ns) <= maxNs ? source.t_ns : null,
  };
}

/** An item with everything that its page shows beside the picture. Throws `not_found`. */
export async function readViewedItem(ctx: Ctx, { owner, slug, uid }: ViewedItem): Promise<Viewed> {
  const dataset = await getDataset(ctx, { owner, slug });
  const [row] = await sql(
    itemRow,
    Prisma.sql`select i.uid, i.key, i.status, i.media_type, i.metadata, i.size_bytes,
        i.annotation_count as annotations_count, i.tint, i.created_at, i.thumbnail_key is not null as has_thumbnail,
        i.sequence_id as sequence_uid, s.key as sequence_key, i.view, i.frame, i.recording_id,
        i.added_by_id as added_by_uid, u.username as added_by
      from items i left join sequences s on s.uid = i.sequence_id left join users u on u.uid = i.added_by_id
      where i.uid = ${uid} and i.dataset_id = ${dataset.uid} and i.organization_id = ${ctx.organizationId}`,
  );
  if (!row) throw notFound();
  const isProjectVisible = isVisible(ctx, "project", Prisma.sql`p.uid`);
  const tasks = await sql(
    taskRow,
    Prisma.sql`select t.uid, p.uid as project_uid, p.name as project_name, t.status, u.username as assignee, t.updated_at
      from tasks t join projects p on p.uid = t.project_id left join users u on u.uid = t.assignee_id
      where t.item_id = ${uid} and t.organization_id = ${ctx.organizationId} and ${isProjectVisible}
      order by t.uid desc limit ${maxListed}`,
  );
  const results = await sql(
    resultRow,
    Prisma.sql`select r.uid, r.task_id as task_uid, p.name as project_name, r.status, r.annotation_count,
        r.submitted_by, r.created_at
      from results r join projects p on p.uid = r.project_id
      where r.item_id = ${uid} and r.organization_id = ${ctx.organizationId} and ${isProjectVisible}
      order by r.uid desc limit ${maxListed}`,
  );
  const { recording_id: recordingId, ...item } = row;
  const { name, owner_name, data_type, uid: datasetUid, slug: datasetSlug } = dataset;
  return {
    ...item,
    media: toMediaKind(row.media_type),
    dataset: { uid: datasetUid, name, slug: datasetSlug, owner_name, data_type },
    source: await readSource(ctx, row.metadata, recordingId),
    tasks,
    results,
  };
}

/** The item of a task that the caller sees. Throws `not_found`. */
export async function readItemOfTask(ctx: Ctx, uid: string): Promise<Viewed> {
  const task = await getTask(ctx, uid);
  const [found] = await sql(
    { owner: text, slug: text },
    Prisma.sql`select o.slug as owner, d.slug from items i join datasets d on d.uid = i.dataset_id
      join organizations o on o.uid = d.organization_id where i.uid = ${task.dataset_item} and i.organization_id = ${ctx.organizationId}`,
  );
  if (!found) throw notFound();
  return readViewedItem(ctx, { ...found, uid: task.dataset_item });
}
