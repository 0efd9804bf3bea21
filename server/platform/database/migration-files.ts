import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

/** One folder below prisma/migrations; `checksum` is what Prisma Migrate stores, SHA-256 of the file in hex. */
export interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

/** Reads the migrations of a folder in the order in which they apply. */
export function readMigrations(directory = path.resolve("prisma/migrations")): Migration[] {
  const folders = fs.readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const sql = fs.readFileSync(path.join(directory, name, "migration.sql"), "utf8");
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    });
}
