import type pg from "pg";
import { nullable, queryRows, text, type Wire } from "@/server/platform/rows";

const namedFileRow = {
  key: text,
  /** The tag that its row says its bytes have, where there is such a row. */
  etag: nullable(text),
};
export type NamedFile = Wire<typeof namedFileRow>;

const fetched = 200;

/** What is kept in customers' buckets stays there. A file may be named by several rows. */
const named = `
  select storage_key as key, max(etag) as etag from (
    select storage_key, etag from stored_files where confirmed_at is not null
    union all select storage_key, null from items
    union all select thumbnail_key, null from items where thumbnail_key is not null
    union all select storage_key, null from exports where storage_key is not null
  ) files where storage_key not like 'bucket/%' group by 1 order by 1`;

/** Every file that a row names, by key. To be read inside a transaction. */
export async function* namedFiles(client: pg.Client): AsyncGenerator<NamedFile> {
  await client.query(`declare named no scroll cursor for ${named}`);
  for (;;) {
    const rows = await queryRows(client, namedFileRow, `fetch ${fetched} from named`);
    if (rows.length === 0) break;
    yield* rows;
  }
  await client.query("close named");
}
