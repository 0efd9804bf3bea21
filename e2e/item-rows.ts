import { v7 } from "uuid";
import { inDatabase } from "./data-loop";
import type { MadeDataset } from "./pictures";

/**
 * Adds many items to a dataset, named in the order in which they are made. They share the thumbnail of one that is there.
 * Every seventh was made from a recording of a device that is named.
 */
export async function addItemRows(dataset: MadeDataset, count: number, name = "item"): Promise<void> {
  await inDatabase(
    `insert into items (uid, organization_id, dataset_id, key, status, media_type, metadata, storage_key, thumbnail_key, tint,
        size_bytes, annotation_count, updated_at)
      select $2 || lpad(to_hex(n), 12, '0'), d.organization_id, d.uid, $4 || '-' || lpad(n::text, 5, '0') || '.png',
        case when n % 3 = 0 then 'completed' else 'unattempted' end, 'image/png',
        jsonb_build_object('width', 320, 'height', 240, 'format', 'png', 'weather', case when n % 2 = 0 then 'rain' else 'sun' end)
          || case when n % 7 = 0 then jsonb_build_object('source', jsonb_build_object('device_name', 'arm-07', 'topic', '/camera'))
             else '{}'::jsonb end,
        i.storage_key, i.thumbnail_key, '#556677', 1000, 0, now()
      from datasets d
      cross join lateral (select storage_key, thumbnail_key from items where dataset_id = d.uid and thumbnail_key is not null order by key desc limit 1) i
      cross join generate_series(1, $3::int) n where d.uid = $1`,
    [dataset.uid, v7().slice(0, 24), count, name],
  );
  await inDatabase(
    "update datasets set item_count = (select count(*) from items where dataset_id = uid_of) from (select $1::text as uid_of) x where uid = uid_of",
    [dataset.uid],
  );
}
