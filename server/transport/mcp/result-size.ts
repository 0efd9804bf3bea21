import { ServiceError } from "@/server/platform/errors";

/** The maximum of a result in characters of JSON, so that a model can read it along with others. */
export const maxResultLength = 60_000;

/** The lengths to which lists are shortened, one after the other, until the result is small enough. */
const listLengths = [200, 100, 50, 20, 10];

/** Shortens lists below `value`, noting each kind of list once; `rows` of a page stay, or paging would skip some. */
function shorten(value: unknown, length: number, at: string, notes: Map<string, string>): unknown {
  if (Array.isArray(value)) {
    const isRows = at === "results";
    if (!isRows && value.length > length) notes.set(at, `${at}: ${length} of ${value.length}`);
    return (isRows ? value : value.slice(0, length)).map((item) => shorten(item, length, `${at}[]`, notes));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      shorten(member, length, at === "" ? name : `${at}.${name}`, notes),
    ]),
  );
}

/**
 * A result of at most `maxResultLength` characters: long lists in it are shortened, and `shortened` says which. Throws
 * `too_large` when that is not enough.
 */
export function limitResult(result: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { length: full } = JSON.stringify(result);
  if (full <= maxResultLength) return result;
  for (const length of listLengths) {
    const notes = new Map<string, string>();
    const smaller = shorten(result, length, "", notes) as Record<string, unknown>;
    if (notes.size > 0) smaller.shortened = [...notes.values()].slice(0, 10);
    if (JSON.stringify(smaller).length <= maxResultLength) return smaller;
  }
  const detail =
    `The result has ${full} characters, at most ${maxResultLength} are returned. Call again for less: ` +
    "a smaller `limit`, more filters, or a shorter span.";
  throw new ServiceError("too_large", { detail });
}
