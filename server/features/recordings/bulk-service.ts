import { isUid } from "@/domain/uid";
import { deleteRecording, lockRecording, updateRecording } from "@/server/features/recordings/service";
import { changedTags, inBulk, type BulkOutcome, type BulkResult, type BulkTags } from "@/server/platform/bulk";
import type { Ctx } from "@/server/platform/context";
import { transaction } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";

/** `before`: the status a recording had; `added`: the tags it did not have. Both are what an undo needs. */
export type RecordingOutcome = BulkOutcome & { before?: string; added?: string[]; removed?: string[] };

const known = (uid: string): string => {
  if (!isUid("recording", uid)) throw notFound();
  return uid;
};

/** Puts tags on recordings, or takes them off. */
export const tagRecordings = (ctx: Ctx, { uids, ...change }: BulkTags): Promise<BulkResult<RecordingOutcome>> =>
  inBulk(uids, (uid) =>
    transaction(ctx, async (tx) => {
      const { tags: before } = await lockRecording(tx, known(uid));
      const after = changedTags(before, change);
      if (after) await updateRecording(tx, uid, { tags: after });
      return {
        added: (after ?? before).filter((tag) => !before.includes(tag)),
        removed: after ? before.filter((tag) => !after.includes(tag)) : [],
      };
    }),
  );

/** Archives recordings; one that is archived already stays so. */
export const archiveRecordings = (ctx: Ctx, uids: readonly string[]): Promise<BulkResult<RecordingOutcome>> =>
  inBulk(uids, (uid) =>
    transaction(ctx, async (tx) => {
      const { status } = await lockRecording(tx, known(uid));
      if (status !== "archived") await updateRecording(tx, uid, { status: "archived" });
      return { before: status };
    }),
  );

/** Brings archived recordings back. */
export const restoreRecordings = (ctx: Ctx, uids: readonly string[]): Promise<BulkResult<RecordingOutcome>> =>
  inBulk(uids, async (uid) => ({
    before: (await updateRecording(ctx, known(uid), { status: "ready" })) && "archived",
  }));

/** Deletes recordings for good, with their events, topics, series and files. */
export const deleteRecordings = (ctx: Ctx, uids: readonly string[]): Promise<BulkResult<RecordingOutcome>> =>
  inBulk(uids, async (uid) => {
    await deleteRecording(ctx, known(uid));
    return {};
  });
