import { pathText, type Issue } from "@/domain/issues";

/**
 * What the server found wrong with a condition, by its path: `""` for the condition itself, `topic`,
 * `conditions.0.field`.
 */
export type ConditionErrors = ReadonlyMap<string, string>;

/** Issues of a condition, their paths from its top, by position. */
export function conditionErrors(issues: readonly Issue[]): ConditionErrors {
  const errors = new Map<string, string>();
  for (const { path, message } of issues) {
    const at = pathText(path);
    errors.set(at, errors.has(at) ? `${errors.get(at)} ${message}` : message);
  }
  return errors;
}

/**
 * The error of a member of the part at `path`, members below it included: `value` also holds what is wrong with
 * `value.1`.
 */
export function errorAt(errors: ConditionErrors, path: string, member: string): string | undefined {
  const at = path === "" ? member : `${path}.${member}`;
  const found = [...errors].filter(([key]) => key === at || key.startsWith(`${at}.`)).map(([, text]) => text);
  return found.length > 0 ? found.join(" ") : undefined;
}
