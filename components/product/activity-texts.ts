const known: Readonly<Record<string, string>> = {
  "device.created": "Registered",
  "device.updated": "Changed",
  "device.deleted": "Deleted",
  "device.token_rotated": "Token rotated",
  "device.status_changed": "Status changed",
};

/** An action of the audit log as text: `device.token_rotated` → `Token rotated`; an unknown one as it reads. */
export function describeAction(action: string): string {
  const label = known[action] ?? action.slice(action.indexOf(".") + 1).replaceAll("_", " ");
  return label.charAt(0).toUpperCase() + label.slice(1);
}

const nouns: Readonly<Record<string, string>> = { api_key: "API key", storage_config: "storage", run: "model run" };

/** Entries whose noun and verb would read as the same word twice. */
const entries: Readonly<Record<string, string>> = { "export.exported": "Export finished" };

/** The same with what it was done to, for a log of everything: `api_key.created` → `API key created`. */
export function describeEntry(action: string): string {
  const [noun = "", ...verb] = action.split(".");
  const text =
    entries[action] ?? `${nouns[noun] ?? noun.replaceAll("_", " ")} ${verb.join(" ").replaceAll("_", " ")}`.trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

type Values = Readonly<Record<string, unknown>> | null;

const maxChars = 80;
function formatValue(value: unknown): string {
  if (value === null || value === undefined || value === "") return "none";
  const isTextList = Array.isArray(value) && value.every((each) => typeof each === "string");
  const text = isTextList ? value.join(", ") : typeof value === "string" ? value : JSON.stringify(value);
  if (text === "") return "none";
  return text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text;
}

/** What changed, a part a field: `status: offline → online`; fields that did not are left out. */
export function describeChange(before: Values, after: Values): string[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return fields.flatMap((field) => {
    if (JSON.stringify(before?.[field] ?? null) === JSON.stringify(after?.[field] ?? null)) return [];
    return [`${field.replaceAll("_", " ")}: ${formatValue(before?.[field])} → ${formatValue(after?.[field])}`];
  });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The innermost members of an object by their paths: `condition.value`, `actions.0.type`. */
function listMembers(value: unknown, path = ""): [path: string, value: unknown][] {
  const isNested = isObject(value) || (Array.isArray(value) && value.some(isObject));
  if (!isNested) return [[path, value]];
  return Object.entries(value).flatMap(([key, each]) => listMembers(each, path === "" ? key : `${path}.${key}`));
}

/** The members in which two nested objects differ, with their values as text. */
export function listDifferences(
  before: unknown,
  after: unknown,
): { path: string; before: string | null; after: string | null }[] {
  const [old, current] = [new Map(listMembers(before)), new Map(listMembers(after))];
  return [...new Set([...old.keys(), ...current.keys()])].flatMap((path) => {
    const text = (of: Map<string, unknown>) => (of.has(path) ? formatValue(of.get(path)) : null);
    const [was, is] = [text(old), text(current)];
    const same =
      JSON.stringify(old.get(path)) === JSON.stringify(current.get(path)) && old.has(path) === current.has(path);
    return same ? [] : [{ path, before: was, after: is }];
  });
}
