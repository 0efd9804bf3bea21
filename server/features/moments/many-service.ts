import { maxMomentFrames, type AddMoments, type MomentSelection } from "@/domain/moments/schema";
import { findTarget, insertMoment, tooMany, type NewSpan } from "@/server/features/moments/add-service";
import type { MomentAdded, MomentsPreview } from "@/server/features/moments/resource";
import { selectMoments } from "@/server/features/moments/selection-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, transaction } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";
import { int4 } from "@/server/platform/rows";

/** What adding many moments would bring. Throws `invalid`. */
export async function previewMoments(
  ctx: Ctx,
  target: string | undefined,
  input: MomentSelection,
): Promise<MomentsPreview> {
  const dataset = target === undefined ? null : await findTarget(ctx, target);
  const { spans, empty, frames } = await selectMoments(ctx, input);
  return {
    moments: spans.length,
    empty,
    frames,
    topics: [...new Set(spans.flatMap(({ topics }) => topics))].slice(0, 100),
    present: dataset ? await countPresentSpans(ctx, dataset.uid, spans) : 0,
    refused: frames > maxMomentFrames ? "too_many" : null,
    max_frames: maxMomentFrames,
  };
}

/** How many of the ranges a dataset was given before, and has not lost by an undo. */
async function countPresentSpans(ctx: Ctx, datasetId: string, spans: readonly NewSpan[]): Promise<number> {
  const [row] = await query(
    ctx,
    { count: int4 },
    Prisma.sql`select count(*)::int as count from unnest(${spans.map(({ recordingId }) => recordingId)}::text[],
        ${spans.map(({ fromNs }) => fromNs)}::bigint[], ${spans.map(({ toNs }) => toNs)}::bigint[]) as w(recording_id, from_ns, to_ns)
      where exists (select 1 from moment_spans s join moments m on m.uid = s.moment_id
        where s.recording_id = w.recording_id and s.organization_id = ${ctx.organizationId} and m.dataset_id = ${datasetId}
          and m.status <> 'undone' and s.from_ns <= w.from_ns and s.to_ns >= w.to_ns)`,
  );
  return row?.count ?? 0;
}

/**
 * Adds the frames of many moments to a dataset, as one addition with one progress. Throws `invalid` for what does not exist,
 * for nothing to add and for too many frames.
 */
export async function addMoments(ctx: Ctx, target: string, input: AddMoments): Promise<MomentAdded> {
  const dataset = await findTarget(ctx, target);
  const { spans, frames } = await selectMoments(ctx, input);
  if (frames > maxMomentFrames) throw tooMany(frames);
  if (spans.length === 0) throw invalid([], "None of these moments has a recording with something to add.");
  const uid = await transaction(ctx, (tx) =>
    insertMoment(tx, dataset.uid, {
      everyMs: input.every_ms,
      firstOnly: input.first,
      clip: input.clip,
      note: input.note,
      planned: frames,
      spans,
    }),
  );
  return { moment_uid: uid, dataset_uid: dataset.uid, planned: frames, present: 0 };
}
