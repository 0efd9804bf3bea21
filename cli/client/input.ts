import type { z } from "zod";
import { CommandError } from "@/cli/client/api-client";
import { issueMessage } from "@/domain/field-messages";
import { toIssues, type Issue } from "@/domain/issues";
import { fieldErrors, isServiceError } from "@/server/platform/errors";

/** The option of each field of an input: `{ expiry: "--expires" }`. */
export type OptionNames = Readonly<Record<string, string>>;

const formatIssues = (issues: readonly Issue[], names: OptionNames): string =>
  Object.entries(fieldErrors(issues))
    .map(
      ([field, messages]) => `${field === "non_field_errors" ? "" : `${names[field] ?? field}: `}${messages.join(" ")}`,
    )
    .join("\n");

/** Checks typed options by the schema of the service's input. Throws a CommandError that names the options. */
export function parseOptions<S extends z.ZodType>(schema: S, input: unknown, names: OptionNames): z.output<S> {
  const parsed = schema.safeParse(input, { error: issueMessage });
  if (parsed.success) return parsed.data;
  throw new CommandError(formatIssues(toIssues(parsed.error.issues), names));
}

/** Turns a service's refusal into a CommandError; returns other errors unchanged. */
export function reportRefusal(error: unknown, names: OptionNames): unknown {
  if (!isServiceError(error)) return error;
  const { issues } = error.options;
  return new CommandError(issues ? formatIssues(issues, names) : error.message);
}

const maxLimit = 10_000;

/** The number of rows in `--limit`. Throws a CommandError for anything else. */
export function parseLimit(text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > maxLimit) throw new CommandError(`--limit must be a whole number from 1 to ${maxLimit}.`);
  return limit;
}
