import { plural, shortestText } from "@/components/kit/format";
import { joinPath } from "@/domain/conditions/path";

/** A value of a decoded message under its path. */
export interface MessageNode {
  /** The member's name, or the index in a list. */
  name: string;
  /** As in rules and plots: `pose.position.x`, `data[0]`. */
  path: string;
  /** Undefined for one that only the other message has. */
  value: unknown;
  /** The value of the message compared with; undefined when it has none. */
  before: unknown;
}

/** What became of a value since the message compared with. */
export type Change = "same" | "added" | "removed" | "changed";

interface LongList {
  $list: true;
  length: number;
  items: unknown[];
}
interface Bytes {
  $bytes: true;
  length: number;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
/** A list of which the server sent the beginning. */
const isLongList = (value: unknown): value is LongList => isObject(value) && value["$list"] === true;
const isBytes = (value: unknown): value is Bytes => isObject(value) && value["$bytes"] === true;

const readItems = (value: unknown): unknown[] | null =>
  Array.isArray(value) ? value : isLongList(value) ? value.items : null;

/** How many items a list has, of which the first are known; null for anything else. */
export function countItems(value: unknown): number | null {
  if (Array.isArray(value)) return value.length;
  return isLongList(value) ? value.length : null;
}

/** Whether a value has others inside. */
export const isBranch = (value: unknown): boolean => isObject(value) && !isBytes(value);

/** The values inside a value, with those that only the message compared with has. */
export function listChildren({ value, before, path }: Omit<MessageNode, "name">): MessageNode[] {
  const [items, itemsBefore] = [readItems(value), readItems(before)];
  if (items || (itemsBefore && !isBranch(value))) {
    const length = Math.max(items?.length ?? 0, itemsBefore?.length ?? 0);
    return Array.from({ length }, (_, at) => ({
      name: String(at),
      path: `${path}[${at}]`,
      value: items?.[at],
      before: itemsBefore?.[at],
    }));
  }
  const [members, membersBefore] = [readMembers(value), readMembers(before)];
  const names = new Set([...Object.keys(members), ...Object.keys(membersBefore)]);
  return [...names].map((name) => ({
    name,
    path: joinPath(path, name),
    value: members[name],
    before: membersBefore[name],
  }));
}

const readMembers = (value: unknown): Record<string, unknown> =>
  isBranch(value) && readItems(value) === null ? (value as Record<string, unknown>) : {};

/** Compares two values of JSON with everything inside them. */
export function isSame(a: unknown, b: unknown): boolean {
  if (!isObject(a) || !isObject(b)) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [names, others] = [Object.keys(a), Object.keys(b)];
  return names.length === others.length && names.every((name) => name in b && isSame(a[name], b[name]));
}

export function findChange({ value, before }: Pick<MessageNode, "value" | "before">): Change {
  if (value === undefined) return "removed";
  if (before === undefined) return "added";
  return isSame(value, before) ? "same" : "changed";
}

/** By how much a number changed, with its sign; null for anything else. */
export function formatDifference({ value, before }: Pick<MessageNode, "value" | "before">): string | null {
  if (typeof value !== "number" || typeof before !== "number") return null;
  const difference = Number((value - before).toPrecision(6));
  return difference > 0 ? `+${difference}` : String(difference).replace("-", "−");
}

/** A value without others inside, as text. */
export function formatLeaf(value: unknown): string {
  if (isBytes(value)) return plural(value.length, "byte");
  if (typeof value === "number") return shortestText(value).replace("-", "−");
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
