import { deleteRecording, lockRecording, updateRecording } from "@/server/features/recordings/service";
import { inBulk, tagChange, type BulkOutcome, type BulkResult, type BulkTags } from "@/server/platform/bulk";
import type { Ctx } from "@/server/platform/context";
import { transaction } from "@/server/platform/db";

/** `before`: the status a recording had; `added`: the tags it did not have. Both are what an undo needs. */
export type RecordingOutcome = BulkOutcome & { before?: string; added?: string[]; removed?: string[] };

/** Puts tags on recordings, or takes them off. */
export const tagRecordings = (ctx: Ctx, { uids, ...tags }: BulkTags): Promise<BulkResult<RecordingOutcome>> =>
  inBulk("recording", uids, (uid) =>
    transaction(ctx, async (tx) => {
      const { after, added, removed } = tagChange((await lockRecording(tx, uid)).tags, tags);
      if (added.length + removed.length > 0) await updateRecording(tx, uid, { tags: after });
      return { added, removed };
    }),
  );

/** Archives recordings; one that is archived already stays so. */
export const archiveRecordings = (ctx: Ctx, uids: readonly string[]): Promise<BulkResult<RecordingOutcome>> =>
  inBulk("recording", uids, (uid) =>
    transaction(ctx, async (tx) => {
      const { status } = await lockRecording(tx, uid);
      if (status !== "archived") await updateRecording(tx, uid, { status: "archived" });
      return { before: status };
    }),
  );

/** Brings archived recordings back. */
export const restoreRecordings = (ctx: Ctx, uids: readonly string[]): Promise<BulkResult<RecordingOutcome>> =>
  inBulk("recording", uids, async (uid) => ({
    before: (await updateRecording(ctx, uid, { status: "ready" })) && "archived",
  }));

/** Deletes recordings for good, with their events, topics, series and files. */
export const deleteRecordings = (ctx: Ctx, uids: readonly string[]): Promise<BulkResult<RecordingOutcome>> =>
  inBulk("recording", uids, async (uid) => {
    await deleteRecording(ctx, uid);
    return {};
  });
