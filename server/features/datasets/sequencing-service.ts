import { updateSequenceStatuses, type ViewRow } from "@/server/features/datasets/sequences-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, transaction } from "@/server/platform/db";
import { int4, type Native, notNull, nullable, text } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

/** The view of frames that are in no folder below their sequence. */
const onlyView = "main";

/**
 * The sequence and view of a file in a sequence dataset: `drive-1/front/0001.jpg` is of the view `front` of `drive-1`.
 * A video is a sequence itself; files outside any folder are in the sequence named as the dataset's slug.
 */
export function parsePlace(key: string, mediaType: string, datasetSlug: string): { sequence: string; view: string } {
  if (mediaType.startsWith("video/")) return { sequence: key, view: onlyView };
  const folders = key
    .split("/")
    .filter((part) => part !== "")
    .slice(0, -1);
  const [sequence = datasetSlug, ...views] = folders;
  return { sequence, view: views.join("/") || onlyView };
}

const placedRow = { uid: text, key: text, media_type: text, slug: text };

/** Adds items to their sequences if the dataset contains sequences. `arrangeFrames` numbers the frames later. */
export async function joinSequences(tx: Ctx, datasetId: string, uids: readonly string[]): Promise<void> {
  const items = await query(
    tx,
    placedRow,
    Prisma.sql`select i.uid, i.key, i.media_type, d.slug from items i join datasets d on d.uid = i.dataset_id
      where d.uid = ${datasetId} and d.is_sequence and i.uid = any(${[...uids]})`,
  );
  if (items.length === 0) return;
  const places = items.map(({ key, media_type: mediaType, slug }) => parsePlace(key, mediaType, slug));
  await tx.db.sequence.createMany({
    // In one order, as others may create the same.
    data: [...new Set(places.map(({ sequence }) => sequence))]
      .sort()
      .map((key) => ({ uid: uuidv7(), organizationId: tx.organizationId, datasetId, key })),
    skipDuplicates: true,
  });
  await execute(
    tx,
    Prisma.sql`update items i set sequence_id = s.uid, view = v.view, frame = null
      from unnest(${items.map(({ uid }) => uid)}::text[], ${places.map(({ sequence }) => sequence)}::text[],
        ${places.map(({ view }) => view)}::text[]) as v(uid, sequence, view)
        join sequences s on s.dataset_id = ${datasetId} and s.key = v.sequence
      where i.uid = v.uid`,
  );
}

const naturalOrder = new Intl.Collator("en", { numeric: true });

/** Numbers the frames of every sequence that has new ones, in the natural order of their names. */
export async function arrangeFrames(ctx: Ctx, datasetId: string): Promise<void> {
  for (;;) {
    const [next] = await query(
      ctx,
      { sequence_id: notNull(text) },
      Prisma.sql`select sequence_id from items where dataset_id = ${datasetId} and sequence_id is not null and frame is null limit 1`,
    );
    if (!next) return;
    await transaction(ctx, (tx) => arrange(tx, next.sequence_id));
  }
}

const frameRow = { uid: text, key: text, view: text, thumbnail_key: nullable(text), frames: nullable(int4) };
type Frame = Native<typeof frameRow>;

/** Numbers the frames of a sequence again after one of them was deleted, and deletes a sequence without frames. */
export async function closeGap(tx: Ctx, sequenceId: string): Promise<void> {
  await arrange(tx, sequenceId);
  await tx.db.sequence.deleteMany({ where: { uid: sequenceId, items: { none: {} } } });
}

async function arrange(tx: Ctx, sequenceId: string): Promise<void> {
  await execute(tx, Prisma.sql`select 1 from sequences where uid = ${sequenceId} for no key update`);
  const items = await query(
    tx,
    frameRow,
    Prisma.sql`select uid, key, view, thumbnail_key, (metadata->>'frame_count')::int as frames from items where sequence_id = ${sequenceId}`,
  );
  const byView = new Map<string, Frame[]>();
  for (const item of items) byView.set(item.view, [...(byView.get(item.view) ?? []), item]);
  const [uids, frames]: [string[], number[]] = [[], []];
  const views: ViewRow[] = [];
  for (const [view, members] of [...byView].sort(([a], [b]) => naturalOrder.compare(a, b))) {
    members.sort((a, b) => naturalOrder.compare(a.key, b.key));
    members.forEach((item, frame) => {
      uids.push(item.uid);
      frames.push(frame);
    });
    // A video is one item of many frames.
    const frameTotal = members.reduce((sum, item) => sum + (item.frames ?? 1), 0);
    views.push({ key: view, frames: frameTotal, thumbnail: members[0]?.thumbnail_key ?? null });
  }
  await execute(
    tx,
    Prisma.sql`update items i set frame = f.frame from unnest(${uids}::text[], ${frames}::int[]) as f(uid, frame)
      where i.uid = f.uid and i.frame is distinct from f.frame`,
  );
  const frameCount = Math.max(0, ...views.map((view) => view.frames));
  await tx.db.sequence.update({
    where: { uid: sequenceId },
    data: { frameCount, views },
  });
  await updateSequenceStatuses(tx, [sequenceId]);
}
