export const kinds = ["text", "number", "boolean", "json"] as const;
export type Kind = (typeof kinds)[number];

/** A pair being edited: the contents of its inputs. */
export interface MetadataDraft {
  /** Identity of the line, independent of its key. */
  id: number;
  key: string;
  value: string;
  kind: Kind;
}

/** What a stored value is edited as. */
export function getKind(value: unknown): Kind {
  if (typeof value === "string") return "text";
  if (typeof value === "number") return "number";
  return typeof value === "boolean" ? "boolean" : "json";
}

/** A stored value as shown in its input. */
export const boxText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** What a box holds after its kind was changed. */
export function convert(text: string, kind: Kind): string {
  if (kind !== "boolean") return text;
  return ["true", "yes", "1", "on"].includes(text.trim().toLowerCase()) ? "true" : "false";
}

/** The value of a box, or what is wrong with it. */
export function parseValue({
  value,
  kind,
}: Pick<MetadataDraft, "value" | "kind">): { value: unknown } | { problem: string } {
  if (kind === "text") return { value };
  if (kind === "boolean") return { value: value === "true" };
  if (kind === "number") {
    const number = value.trim() === "" ? Number.NaN : Number(value);
    return Number.isFinite(number) ? { value: number } : { problem: "Enter a number." };
  }
  try {
    const parsed = JSON.parse(value) as unknown;
    return parsed === null ? { problem: "null cannot be stored; remove the line instead." } : { value: parsed };
  } catch {
    return { problem: "Enter valid JSON: text in double quotes, objects in braces." };
  }
}

/** The object the lines make, and what is wrong with which line. Lines with neither key nor value do not count. */
export function readDrafts(rows: readonly MetadataDraft[]): {
  metadata: Record<string, unknown>;
  problems: Map<number, string>;
} {
  const entries = new Map<string, unknown>();
  const problems = new Map<number, string>();
  for (const row of rows) {
    const key = row.key.trim();
    if (key === "" && row.value.trim() === "") continue;
    const read = parseValue(row);
    if (key === "") problems.set(row.id, "Enter a key.");
    else if (entries.has(key)) problems.set(row.id, `The key ${key} is already used above.`);
    else if ("problem" in read) problems.set(row.id, read.problem);
    else entries.set(key, read.value);
  }
  return { metadata: Object.fromEntries(entries), problems };
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** What to send so that `before` becomes `after`: only changed keys, null for each that is removed. */
export function metadataChange(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): Record<string, unknown> {
  const changed = Object.entries(after).filter(
    ([key, value]) => !Object.hasOwn(before, key) || !same(before[key], value),
  );
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return Object.fromEntries([...changed, ...removed.map((key): [string, null] => [key, null])]);
}
