import type pg from "pg";
import { float8, int8, nullable, queryRows, text, type Wire } from "@/server/platform/rows";

const namedFileRow = {
  key: text,
  /** The entity tag of its row; null if its rows have none. */
  etag: nullable(text),
  /** The size that its row has; null if its rows have none. */
  size_bytes: nullable(int8),
};
export type NamedFile = Wire<typeof namedFileRow>;

const batchSize = 200;

/** The pictures of captures, of those that `which` says. */
const capturePictures = (which: string): string => `
    select 'alert-captures/' || c.organization_id || '/' || c.uid || '/' || (p.n - 1), null, (p.picture->>'size_bytes')::bigint
      from alert_captures c, jsonb_array_elements(c.pictures) with ordinality p (picture, n) where ${which}`;

/** What rows name besides uploads. */
const others = `
    select storage_key, null as etag, null::bigint as size_bytes from items
    union all select thumbnail_key, null, null from items where thumbnail_key is not null
    union all select storage_key, etag, size_bytes from signal_files
    union all select storage_key, etag, size_bytes from series_packs
    union all select storage_key, null, size_bytes from filmstrips where storage_key is not null
    union all ${capturePictures("alert_id is not null")}
    union all select storage_key, null, null from exports where storage_key is not null
    union all select storage_key, etag, size_bytes from robot_descriptions where status = 'ready'
    union all select storage_key, null, size_bytes from annotation_imports where storage_key is not null and status <> 'uploading'
    union all select 'organizations/' || uid || '/logo/' || substring(logo_url from '/([^/]+)$'), null, null
      from organizations where logo_url like '%/organization-logos/' || uid || '/%'`;

/** Files in customers' buckets are left out. Several rows may name one file. */
const named = `
  select storage_key as key, max(etag) as etag, max(size_bytes) as size_bytes from (
    select storage_key, etag, size_bytes from stored_files where confirmed_at is not null
    union all ${others}
  ) files where storage_key not like 'bucket/%' group by 1 order by storage_key collate "C"`;

/** Yields every file that a row names, in the order of the bytes of their keys. Must be used inside a transaction. */
export async function* namedFiles(client: pg.ClientBase): AsyncGenerator<NamedFile> {
  await client.query(`declare named no scroll cursor for ${named}`);
  for (;;) {
    const rows = await queryRows(client, namedFileRow, `fetch ${batchSize} from named`);
    if (rows.length === 0) break;
    yield* rows;
  }
  await client.query("close named");
}

/** The sizes that rows have of all files together, in bytes; not of those without. */
export async function countNamedBytes(client: pg.ClientBase): Promise<number> {
  const statement = `select coalesce(sum(size_bytes), 0)::float8 as bytes from (${named}) files`;
  const [row] = await queryRows(client, { bytes: float8 }, statement);
  return row?.bytes ?? 0;
}

/** Those of these keys that no row names, not even that of an unfinished upload. */
export async function unnamedKeys(client: pg.ClientBase, keys: readonly string[]): Promise<string[]> {
  if (keys.length === 0) return [];
  const rows = await queryRows(
    client,
    { key: text },
    `with files as (select storage_key, etag, size_bytes from stored_files where storage_key = any($1)
        union all select storage_key, etag, size_bytes from robot_descriptions where storage_key = any($1)
        union all select storage_key, null, size_bytes from annotation_imports where storage_key = any($1)
        union all ${capturePictures("alert_id is null")} union all ${others})
      select key from unnest($1::text[]) key where not exists (select from files where storage_key = key)`,
    [keys],
  );
  return rows.map(({ key }) => key);
}
