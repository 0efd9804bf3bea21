import pMap from "p-map";
import { z } from "zod";
import { nonBlank, tags } from "@/domain/fields";
import { isUid, type UidKind } from "@/domain/uid";
import { isServiceError, notFound } from "@/server/platform/errors";

/** The outcome of a bulk operation for one object; `error` is the reason for a refusal. */
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

/** Up to 1,000 objects without duplicates. */
export const BulkUids = z.object({
  uids: z
    .array(nonBlank(100))
    .min(1)
    .max(1_000, { error: "Ensure this field has no more than 1000 elements." })
    .transform((list) => [...new Set(list)]),
});

/** Tags to add and to remove; adding a tag that is there, or removing one that is not, changes nothing. */
export const BulkTags = BulkUids.extend({ add: tags().optional(), remove: tags().optional() });
export type BulkTags = z.output<typeof BulkTags>;

/** Computes the tags of an object after a change, and which tags the change adds and removes. */
export function tagChange(
  before: readonly string[],
  { add = [], remove = [] }: Pick<BulkTags, "add" | "remove">,
): { after: string[]; added: string[]; removed: string[] } {
  const added = [...new Set(add)].filter((tag) => !before.includes(tag));
  const removed = before.filter((tag) => remove.includes(tag));
  return { after: [...before.filter((tag) => !remove.includes(tag)), ...added], added, removed };
}

/**
 * Runs `act` for each of many objects independently, `concurrency` of them at a time. A refusal by the service becomes
 * the `error` of its object. Results are in the order of the uids and include what `act` resolved to.
 */
export async function inBulk<Extra extends object>(
  kind: UidKind | null,
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
