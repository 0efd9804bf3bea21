import { deleteRecording, lockRecording, updateRecording } from "@/server/features/recordings/service";
import { inBulk, tagChange, type BulkOutcome, type BulkResult, type BulkTags } from "@/server/platform/bulk";
import type { Ctx } from "@/server/platform/context";
import { transaction } from "@/server/platform/db";

/** `before`: the recording's previous status; `added`: the tags that were new to it. An undo needs both. */
export type RecordingOutcome = BulkOutcome & { before?: string; added?: string[]; removed?: string[] };

/** Adds tags to recordings, or removes them. */
export const tagRecordings = (ctx: Ctx, { uids, ...tags }: BulkTags): Promise<BulkResult<RecordingOutcome>> =>
  inBulk("recording", uids, (uid) =>
    transaction(ctx, async (tx) => {
      const { after, added, removed } = tagChange((await lockRecording(tx, uid)).tags, tags);
      if (added.length + removed.length > 0) await updateRecording(tx, uid, { tags: after });
      return { added, removed };
    }),
  );

/** Archives recordings; archived ones stay unchanged. */
export const archiveRecordings = (ctx: Ctx, uids: readonly string[]): Promise<BulkResult<RecordingOutcome>> =>
  inBulk("recording", uids, (uid) =>
    transaction(ctx, async (tx) => {
      const { status } = await lockRecording(tx, uid);
      if (status !== "archived") await updateRecording(tx, uid, { status: "archived" });
      return { before: status };
    }),
  );

/** Restores archived recordings. */
export const restoreRecordings = (ctx: Ctx, uids: readonly string[]): Promise<BulkResult<RecordingOutcome>> =>
  inBulk("recording", uids, async (uid) => ({
    before: (await updateRecording(ctx, uid, { status: "ready" })) && "archived",
  }));

/** Deletes recordings permanently, with their events, topics, series and files. */
export const deleteRecordings = (ctx: Ctx, uids: readonly string[]): Promise<BulkResult<RecordingOutcome>> =>
  inBulk("recording", uids, async (uid) => {
    await deleteRecording(ctx, uid);
    return {};
  });
