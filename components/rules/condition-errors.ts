/** What the server said of a condition, by where it is: `""` the whole, `topic`, `conditions.0.field`. */
export type ConditionErrors = ReadonlyMap<string, string>;

const position =
  /^((?:conditions\.\d+\.)*(?:conditions|type|topic|field|field_mode|operator|value(?:\.\d+)?|window|recover(?:\.\w+)*|regex|count|count_operator|timeout|hold|keep_for|cooldown|timestamp_source)|conditions(?:\.\d+\.conditions)*\.\d+): (.*)$/s;

/** Sorts messages such as `conditions.1.topic: This field is required.` by their position. */
export function conditionErrors(messages: readonly string[] | undefined): ConditionErrors {
  const errors = new Map<string, string>();
  for (const message of messages ?? []) {
    const [, at = "", text = message] = position.exec(message) ?? [];
    errors.set(at, errors.has(at) ? `${errors.get(at)} ${text}` : text);
  }
  return errors;
}

/**
 * The error of a member of the part at `path`, members below it included: `value` also holds what `value.1` was told.
 */
export function errorAt(errors: ConditionErrors, path: string, member: string): string | undefined {
  const at = path === "" ? member : `${path}.${member}`;
  const found = [...errors].filter(([key]) => key === at || key.startsWith(`${at}.`)).map(([, text]) => text);
  return found.length > 0 ? found.join(" ") : undefined;
}
