import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, type OnDb } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";
import { int8, notNull } from "@/server/platform/rows";
import { inBucket } from "@/server/platform/storage/keys";

/** What an organization has in the installation's own store; what is in its own buckets is not part of it. */
export interface StorageUse {
  /** With their signals, series and the small pictures of their cameras. */
  recording_bytes: number;
  dataset_bytes: number;
  export_bytes: number;
  robot_description_bytes: number;
  /** Announced by uploads that are not finished, and files of annotations until they are imported. */
  upload_bytes: number;
  total_bytes: number;
  files: number;
}

// The conditions are those of the partial indexes of upload_sessions, which carry the sums.
const finished = Prisma.sql`recording_id is not null and status = 'finalized' and prefix !~~ 'bucket/%'`;

/** Adds up an organization's storage, without a look at files: index entries for each recording, a row for each dataset. */
export async function getStorageUse(on: OnDb, organizationId: string): Promise<StorageUse> {
  const [row] = await query(
    on,
    { recordings: int8, datasets: int8, exports: int8, robots: int8, uploads: int8, files: int8 },
    Prisma.sql`select r.bytes + g.bytes + s.bytes + f.bytes as recordings, d.bytes as datasets, x.bytes as exports, b.bytes as robots,
        u.bytes + m.bytes as uploads,
        r.files + g.files + s.files + f.files + d.files + x.files + b.files + u.files + m.files as files
      from (select coalesce(sum(total_bytes), 0)::int8 as bytes, coalesce(sum(total_files), 0)::int8 as files
          from upload_sessions where organization_id = ${organizationId} and ${finished}) r,
        (select coalesce(sum(size_bytes), 0)::int8 as bytes, coalesce(sum(files), 0)::int8 as files
          from signal_sets where organization_id = ${organizationId} and prefix !~~ 'bucket/%') g,
        (select coalesce(sum(size_bytes), 0)::int8 as bytes, count(*) as files
          from series_packs where organization_id = ${organizationId}) s,
        (select coalesce(sum(size_bytes), 0)::int8 as bytes, count(*) as files
          from filmstrips where organization_id = ${organizationId} and storage_key is not null) f,
        (select coalesce(sum(size_bytes), 0)::int8 as bytes, coalesce(sum(item_count), 0)::int8 as files
          from datasets where organization_id = ${organizationId} and storage_config_id is null) d,
        (select coalesce(sum(size_bytes), 0)::int8 as bytes, count(*) as files
          from exports where organization_id = ${organizationId} and storage_config_id is null
            and storage_key is not null) x,
        (select coalesce(sum(size_bytes), 0)::int8 as bytes, count(*) as files
          from robot_descriptions where organization_id = ${organizationId}) b,
        (select coalesce(sum(size_bytes), 0)::int8 as bytes, count(*) as files
          from annotation_imports where organization_id = ${organizationId} and storage_key is not null) m,
        (select coalesce(sum(case when o.open then s.total_bytes else s.confirmed_bytes end), 0)::int8 as bytes,
            coalesce(sum(case when o.open then s.total_files else s.confirmed_files end), 0)::int8 as files
          from upload_sessions s left join recordings r on r.uid = s.recording_id
          cross join lateral (select s.recording_id is null or r.status in ('uploading', 'archived') as open) o
          where s.organization_id = ${organizationId} and s.status = 'active' and s.prefix !~~ 'bucket/%') u`,
  );
  const of = (bytes: bigint | undefined): number => Number(bytes ?? 0n);
  const bytes = {
    recording_bytes: of(row?.recordings),
    dataset_bytes: of(row?.datasets),
    export_bytes: of(row?.exports),
    robot_description_bytes: of(row?.robots),
    upload_bytes: of(row?.uploads),
  };
  const total = Object.values(bytes).reduce((sum, each) => sum + each, 0);
  return { ...bytes, total_bytes: total, files: of(row?.files) };
}

const count = (bytes: number | bigint): string => new Intl.NumberFormat("en-US").format(bytes);

/**
 * Refuses files that would exceed the organization's quota in the installation's own store. Locks the organization
 * until the transaction ends, so that uploads that begin at the same time do not exceed it together. Throws
 * `invalid("files")`, or for another field.
 */
export async function requireQuota(tx: Ctx, prefix: string, bytes: bigint, field = "files"): Promise<void> {
  if (inBucket(prefix)) return;
  const [organization] = await query(
    tx,
    { quota: notNull(int8) },
    Prisma.sql`select quota_bytes as quota from organizations
      where uid = ${tx.organizationId} and quota_bytes is not null for no key update`,
  );
  if (!organization) return;
  const { total_bytes: used } = await getStorageUse(tx, tx.organizationId);
  if (BigInt(used) + bytes <= organization.quota) return;
  throw invalid(
    field,
    `The quota of this organization is ${count(organization.quota)} bytes. ${count(used)} are used, and these files have ${count(bytes)}.`,
  );
}
