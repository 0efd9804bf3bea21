import pMap from "p-map";
import { z } from "zod";
import { nonBlank, tags } from "@/domain/fields";
import { isUid, type UidKind } from "@/domain/uid";
import { isServiceError, notFound } from "@/server/platform/errors";

/** What a bulk operation did to one object; `error` says why it did nothing. */
export interface BulkOutcome {
  uid: string;
  ok: boolean;
  error: string | null;
}
export interface BulkResult<Outcome extends BulkOutcome = BulkOutcome> {
  results: Outcome[];
  succeeded: number;
  failed: number;
}

/** Up to 1,000 objects, each named once. */
export const BulkUids = z.object({
  uids: z
    .array(nonBlank(100))
    .min(1)
    .max(1_000, { error: "Ensure this field has no more than 1000 elements." })
    .transform((list) => [...new Set(list)]),
});

/** Tags to put on and to take off; what an object has already, or has not, stays as it is. */
export const BulkTags = BulkUids.extend({ add: tags().optional(), remove: tags().optional() });
export type BulkTags = z.output<typeof BulkTags>;

/** The tags of an object after a change, and which of them that adds and removes: none of either when nothing changes. */
export function tagChange(
  before: readonly string[],
  { add = [], remove = [] }: Pick<BulkTags, "add" | "remove">,
): { after: string[]; added: string[]; removed: string[] } {
  const added = [...new Set(add)].filter((tag) => !before.includes(tag));
  const removed = before.filter((tag) => remove.includes(tag));
  return { after: [...before.filter((tag) => !remove.includes(tag)), ...added], added, removed };
}

/**
 * Does one thing to many objects of a kind, each on its own and `concurrency` at the same time. What a service refuses
 * is said beside the object. Outcomes stand in the order of the uids, with what `act` resolved to.
 */
export async function inBulk<Extra extends object>(
  kind: UidKind,
  uids: readonly string[],
  act: (uid: string) => Promise<Extra>,
  concurrency = 4,
): Promise<BulkResult<BulkOutcome & Partial<Extra>>> {
  const one = async (uid: string): Promise<BulkOutcome & Partial<Extra>> => {
    try {
      if (!isUid(kind, uid)) throw notFound();
      return { ...(await act(uid)), uid, ok: true, error: null };
    } catch (error) {
      if (!isServiceError(error)) throw error;
      return { uid, ok: false, error: error.text() } as BulkOutcome & Partial<Extra>;
    }
  };
  const results = await pMap(uids, one, { concurrency });
  const succeeded = results.filter((result) => result.ok).length;
  return { results, succeeded, failed: results.length - succeeded };
}
