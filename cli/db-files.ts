import type pg from "pg";
import { nullable, queryRows, text, type Wire } from "@/server/platform/rows";

const namedFileRow = {
  key: text,
  /** The entity tag of its row; null if its rows have none. */
  etag: nullable(text),
};
export type NamedFile = Wire<typeof namedFileRow>;

const batchSize = 200;

/** Files in customers' buckets are left out. Several rows may name one file. */
const named = `
  select storage_key as key, max(etag) as etag from (
    select storage_key, etag from stored_files where confirmed_at is not null
    union all select storage_key, null from items
    union all select thumbnail_key, null from items where thumbnail_key is not null
    union all select storage_key, null from exports where storage_key is not null
  ) files where storage_key not like 'bucket/%' group by 1 order by 1`;

/** Yields every file that a row names, ordered by key. Must be used inside a transaction. */
export async function* namedFiles(client: pg.Client): AsyncGenerator<NamedFile> {
  await client.query(`declare named no scroll cursor for ${named}`);
  for (;;) {
    const rows = await queryRows(client, namedFileRow, `fetch ${batchSize} from named`);
    if (rows.length === 0) break;
    yield* rows;
  }
  await client.query("close named");
}
