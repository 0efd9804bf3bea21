import type { Outputs } from "@/components/trpc/client";
import { csvLine } from "@/domain/csv";
import { countItems, formatLeaf, isBranch, listChildren } from "./message-tree";

export type MessagesPage = Outputs["recordings"]["messages"];
type Message = MessagesPage["messages"][number];

/** A message with its values by path. */
export interface MessageRow {
  key: string;
  ns: bigint;
  values: ReadonlyMap<string, unknown>;
  /** Why it could not be decoded; null when it could. */
  error: string | null;
}

/** The most values of a message, and columns of a table. */
const maxColumns = 100;
/** Longer lists are counted, not spelled out. */
const maxItems = 16;
const maxDepth = 12;

/** The values of a message without others inside, by path. */
export function flattenMessage(message: unknown): Map<string, unknown> {
  const values = new Map<string, unknown>();
  const visit = (value: unknown, path: string, depth: number): void => {
    if (values.size >= maxColumns) return;
    const items = countItems(value);
    if (items !== null && (items > maxItems || items === 0)) values.set(path, `${items.toLocaleString("en")} items`);
    else if (isBranch(value) && depth < maxDepth) {
      for (const child of listChildren({ value, before: undefined, path })) visit(child.value, child.path, depth + 1);
    } else values.set(path === "" ? "value" : path, isBranch(value) ? "…" : value);
  };
  visit(message, "", 0);
  return values;
}

const toKey = ({ log_time_ns: time, publish_time_ns: published, sequence }: Message): string =>
  `${time} ${published} ${sequence}`;

/** The messages of several answers in the order of time, each once. */
export function mergePages(pages: readonly MessagesPage[]): MessageRow[] {
  const found = new Map<string, Message>();
  for (const { messages } of pages) {
    // Messages of one answer that share all times are distinguished by their order.
    const seen = new Map<string, number>();
    for (const message of messages) {
      const key = toKey(message);
      const count = seen.get(key) ?? 0;
      seen.set(key, count + 1);
      found.set(`${key} ${count}`, message);
    }
  }
  return [...found]
    .map(([key, { log_time_ns: time, value, error }]) => ({
      key,
      ns: BigInt(time),
      values: error === null ? flattenMessage(value) : new Map<string, unknown>(),
      error,
    }))
    .sort((a, b) => (a.ns < b.ns ? -1 : a.ns > b.ns ? 1 : 0));
}

/** The moment whose messages follow those of an answer for `limit` messages; undefined where there are no more. */
export function findNext({ at, messages }: MessagesPage, limit: number): string | undefined {
  const following = messages.filter(({ log_time_ns: time }) => BigInt(time) >= BigInt(at)).length;
  const last = messages.at(-1)?.log_time_ns;
  if (last === undefined || following < limit / 2) return undefined;
  // So many messages of one moment that none of the next was in the answer.
  return last === at ? String(BigInt(at) + 1n) : last;
}

/** The moment before which the messages before an answer lie; undefined where there are none. */
export function findPrevious({ at, messages }: MessagesPage, limit: number): string | undefined {
  const preceding = messages.filter(({ log_time_ns: time }) => BigInt(time) < BigInt(at)).length;
  const first = messages[0]?.log_time_ns;
  return first === undefined || preceding < limit / 2 ? undefined : first;
}

/** The columns of rows, in the order in which they appear. */
export function listColumns(rows: readonly MessageRow[]): string[] {
  const columns = new Set<string>();
  for (const { values } of rows) {
    for (const path of values.keys()) if (columns.size < maxColumns) columns.add(path);
  }
  return [...columns];
}

/** A value in a cell. */
export const formatCell = (value: unknown): string =>
  value === undefined ? "" : typeof value === "string" ? value : formatLeaf(value);

/** Rows as CSV: exact times, then a column for each path. */
export function rowsCsv(rows: readonly MessageRow[], columns: readonly string[]): string {
  const lines = rows.map(({ ns, values }) => csvLine([ns, ...columns.map((path) => values.get(path))]));
  return csvLine(["log_time_ns", ...columns]) + lines.join("");
}
