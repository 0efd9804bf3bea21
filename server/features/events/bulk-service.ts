import { deleteEvent, lockEvent, updateEvent } from "@/server/features/events/service";
import { inBulk, tagChange, type BulkOutcome, type BulkResult, type BulkTags } from "@/server/platform/bulk";
import type { Ctx } from "@/server/platform/context";
import { transaction } from "@/server/platform/db";

/** `added` and `removed` are the tags that really changed, which an undo needs. */
export type EventOutcome = BulkOutcome & { added?: string[]; removed?: string[] };

/** Adds tags to events and removes tags from them. */
export const tagEvents = (ctx: Ctx, { uids, ...tags }: BulkTags): Promise<BulkResult<EventOutcome>> =>
  inBulk("event", uids, (uid) =>
    transaction(ctx, async (tx) => {
      const { after, added, removed } = tagChange((await lockEvent(tx, uid)).tags, tags);
      if (added.length + removed.length > 0) await updateEvent(tx, uid, { tags: after });
      return { added, removed };
    }),
  );

/** Deletes events. */
export const deleteEvents = (ctx: Ctx, uids: readonly string[]): Promise<BulkResult<EventOutcome>> =>
  inBulk("event", uids, async (uid) => {
    await deleteEvent(ctx, uid);
    return {};
  });
