import { isUid } from "@/domain/uid";
import { deleteEvent, lockEvent, updateEvent } from "@/server/features/events/service";
import { changedTags, inBulk, type BulkOutcome, type BulkResult, type BulkTags } from "@/server/platform/bulk";
import type { Ctx } from "@/server/platform/context";
import { transaction } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";

/** `added` and `removed`: what of the tags really changed, which is what an undo needs. */
export type EventOutcome = BulkOutcome & { added?: string[]; removed?: string[] };

const known = (uid: string): string => {
  if (!isUid("event", uid)) throw notFound();
  return uid;
};

/** Puts tags on events, or takes them off. */
export const tagEvents = (ctx: Ctx, { uids, ...change }: BulkTags): Promise<BulkResult<EventOutcome>> =>
  inBulk(uids, (uid) =>
    transaction(ctx, async (tx) => {
      const { tags: before } = await lockEvent(tx, known(uid));
      const after = changedTags(before, change);
      if (after) await updateEvent(tx, uid, { tags: after });
      return {
        added: (after ?? before).filter((tag) => !before.includes(tag)),
        removed: after ? before.filter((tag) => !after.includes(tag)) : [],
      };
    }),
  );

/** Deletes events for good. */
export const deleteEvents = (ctx: Ctx, uids: readonly string[]): Promise<BulkResult<EventOutcome>> =>
  inBulk(uids, async (uid) => {
    await deleteEvent(ctx, known(uid));
    return {};
  });
