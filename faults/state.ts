import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { listTables } from "@/cli/db/tables";
import { withConnection } from "@/server/platform/database/connection";
import { openEmbeddedDatabase } from "@/server/platform/database/embedded";
import { migrateDatabase } from "@/server/platform/database/migrate";
import { finishRestore } from "@/server/platform/database/pending-restore";
import { logFor } from "@/server/platform/log";
import { nullable, queryRows, text } from "@/server/platform/rows";
import { isKey } from "@/server/platform/storage/keys";
import { lastingName } from "@/server/testing/stored-files";

/**
 * A digest of all rows and stored files of an installation that does not run, after what every process does at its start
 * before it reads a row or a file.
 */
export async function digestInstallation(dataDir: string): Promise<string> {
  const log = logFor("faults");
  const database = await openEmbeddedDatabase({ dataDir, log });
  try {
    await migrateDatabase(database.url, log);
    await finishRestore(database.url, dataDir);
    const rows = await withConnection({ connectionString: database.url }, async (client) => {
      await client.query("set TimeZone = 'UTC'");
      const digests: string[] = [];
      // A restore gives the installation a new id.
      for (const { key, name } of (await listTables(client)).filter((table) => table.key !== "public.installation")) {
        const statement = `select md5(string_agg(md5(t::text), ' ' order by md5(t::text))) as digest from ${name} t`;
        const [table] = await queryRows(client, { digest: nullable(text) }, statement);
        digests.push(`${key} ${table?.digest}`);
      }
      return digests.sort();
    });
    return [...rows, ...digestFiles(path.join(dataDir, "files"))].join("\n");
  } finally {
    await database.stop();
  }
}

function digestFiles(root: string): string[] {
  if (!fs.existsSync(root)) return [];
  // Other names are notes of the store, and what a killed restore left.
  const kinds = fs.readdirSync(root).filter(isKey);
  const entries = kinds.flatMap((kind) =>
    fs.readdirSync(path.join(root, kind), { recursive: true, withFileTypes: true }),
  );
  const places = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  return places
    .map((place) => {
      const sum = createHash("md5").update(fs.readFileSync(place)).digest("hex");
      return `${lastingName(path.relative(root, place))} ${sum}`;
    })
    .sort();
}
