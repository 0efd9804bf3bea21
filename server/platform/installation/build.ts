import { version } from "@/package.json";
import { readMigrations } from "@/server/platform/database/migration-files";
import { findCommit } from "@/server/platform/version";

/** What an operator has to know of a program: its version, its commit, and the last migration that it knows. */
export function describeBuild(folder = import.meta.dirname): string {
  return [
    `muster ${version}`,
    `commit ${findCommit(folder) ?? "unknown"}`,
    `last migration ${readMigrations().at(-1)?.name ?? "none"}`,
  ].join("\n");
}
