import { parseArgs } from "node:util";
import { FatalError } from "@/server/platform/process/fatal-error";

const roles = ["all", "web", "worker"] as const;
type Role = (typeof roles)[number];

export interface CommandLine {
  role: Role;
  /** Serves pages by Next's development server and restarts the worker on every edit. */
  dev: boolean;
  help: boolean;
}

export const usage = `Usage: npm start -- [--role all|web|worker]

  --role all      the database, the web server and the worker, under one supervisor (the default)
  --role web      the web server alone, on the database of DATABASE_URL
  --role worker   the worker alone, on the database of DATABASE_URL

Settings are read from the environment; docs/deployment.md lists them.`;

const options = {
  role: { type: "string", default: "all" },
  dev: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

/** Parses the arguments after the program's name. Throws a FatalError with the usage for unknown ones. */
export function parseCommandLine(args: string[]): CommandLine {
  const refuse = (reason: string) => new FatalError(`${reason}\n\n${usage}`);
  let values: ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];
  try {
    values = parseArgs({ args, options }).values;
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : String(error));
  }
  const role = roles.find((known) => known === values.role);
  if (!role) throw refuse(`--role must be one of ${roles.join(", ")}.`);
  return { role, dev: values.dev, help: values.help };
}
