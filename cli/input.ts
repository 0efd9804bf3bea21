import type { z } from "zod";
import { CommandError } from "@/cli/api-client";
import { issueMessage } from "@/domain/field-messages";
import { toIssues, type Issue } from "@/domain/issues";
import { fieldErrors, isServiceError } from "@/server/platform/errors";

/** Which option a field of an input stands for: `{ expiry: "--expires" }`. */
export type OptionNames = Readonly<Record<string, string>>;

const lines = (issues: readonly Issue[], names: OptionNames): string =>
  Object.entries(fieldErrors(issues))
    .map(
      ([field, messages]) => `${field === "non_field_errors" ? "" : `${names[field] ?? field}: `}${messages.join(" ")}`,
    )
    .join("\n");

/** Checks what was typed by the schema of the verb it is meant for. Throws a CommandError that names the options. */
export function parseOptions<S extends z.ZodType>(schema: S, input: unknown, names: OptionNames): z.output<S> {
  const parsed = schema.safeParse(input, { error: issueMessage });
  if (parsed.success) return parsed.data;
  throw new CommandError(lines(toIssues(parsed.error.issues), names));
}

/** A service's refusal as it is told at the terminal; other errors as they are. */
export function reportRefusal(error: unknown, names: OptionNames): unknown {
  if (!isServiceError(error)) return error;
  const { issues } = error.options;
  return new CommandError(issues ? lines(issues, names) : error.message);
}
