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

type Values = Readonly<Record<string, unknown>> | null;

const maxChars = 80;
function formatValue(value: unknown): string {
  if (value === null || value === undefined || value === "") return "none";
  const isTextList = Array.isArray(value) && value.every((each) => typeof each === "string");
  const text = isTextList ? value.join(", ") : typeof value === "string" ? value : JSON.stringify(value);
  if (text === "") return "none";
  return text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text;
}

/** What changed, a part a field: `status: offline → online`. */
export function describeChange(before: Values, after: Values): string[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return fields.map(
    (field) => `${field.replaceAll("_", " ")}: ${formatValue(before?.[field])} → ${formatValue(after?.[field])}`,
  );
}
