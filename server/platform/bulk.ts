import { z } from "zod";
import { nonBlank, tags } from "@/domain/fields";
import { isServiceError } from "@/server/platform/errors";

/** What came of one object of a bulk operation; `error` says why nothing did. */
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

/** The tags of an object after the change; null when that is how they are. */
export function changedTags(
  before: readonly string[],
  { add = [], remove = [] }: Pick<BulkTags, "add" | "remove">,
): string[] | null {
  const after = [...before.filter((tag) => !remove.includes(tag)), ...add.filter((tag) => !before.includes(tag))];
  return after.length === before.length && after.every((tag, at) => tag === before[at]) ? null : after;
}

const atOnce = 4;

/**
 * Does one thing to many objects, each on its own; what a service refuses is said beside the object, in the order
 * asked.
 */
export async function inBulk<Extra extends object>(
  uids: readonly string[],
  act: (uid: string) => Promise<Extra>,
): Promise<BulkResult<BulkOutcome & Partial<Extra>>> {
  const one = async (uid: string): Promise<BulkOutcome & Partial<Extra>> => {
    try {
      return { ...(await act(uid)), uid, ok: true, error: null };
    } catch (error) {
      if (!isServiceError(error)) throw error;
      return { uid, ok: false, error: error.text() } as BulkOutcome & Partial<Extra>;
    }
  };
  const results: (BulkOutcome & Partial<Extra>)[] = [];
  for (let start = 0; start < uids.length; start += atOnce) {
    results.push(...(await Promise.all(uids.slice(start, start + atOnce).map(one))));
  }
  const succeeded = results.filter((result) => result.ok).length;
  return { results, succeeded, failed: results.length - succeeded };
}
