import type { z } from "zod";
import { CommandError } from "@/cli/api-client";
import { isServiceError, type FieldErrors } from "@/server/platform/errors";
import { fieldErrors, issueMessage } from "@/server/transport/rest/wire";

/** Which option a field of an input stands for: `{ expiry: "--expires" }`. */
export type OptionNames = Readonly<Record<string, string>>;

const lines = (fields: FieldErrors, names: OptionNames): string =>
  Object.entries(fields)
    .map(
      ([field, messages]) => `${field === "non_field_errors" ? "" : `${names[field] ?? field}: `}${messages.join(" ")}`,
    )
    .join("\n");

/** Checks what was typed by the schema of the verb it is meant for. Throws a CommandError that names the options. */
export function parseOptions<S extends z.ZodType>(schema: S, input: unknown, names: OptionNames): z.output<S> {
  const parsed = schema.safeParse(input, { error: issueMessage });
  if (parsed.success) return parsed.data;
  throw new CommandError(lines(fieldErrors(parsed.error.issues), names));
}

/** A service's refusal as it is told at the terminal; other errors as they are. */
export function tellRefusal(error: unknown, names: OptionNames): unknown {
  if (!isServiceError(error)) return error;
  const { fields } = error.options;
  return new CommandError(fields ? lines(fields, names) : error.message);
}
