import { z } from "zod";
import type { StorageFilters } from "@/domain/storage-configs/schema";
import { isExportVisible, isVisible } from "@/server/features/membership/assignment-queries";
import { StorageCheck, type StorageConfigResource } from "@/server/features/storage-configs/resource";
import { getStorageConfig, filterStorageConfigs } from "@/server/features/storage-configs/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";
import type { Page } from "@/server/platform/pagination";
import { bool, float8, int4, jsonb, nullable, text, timestamptz } from "@/server/platform/rows";
import { bucketPrefix } from "@/server/platform/storage/keys";

/** A bucket with the columns of its list. */
export interface StorageOverview extends StorageConfigResource {
  /** The result of its last test; null where it was connected before results were stored. */
  last: { passed: boolean; checks: StorageCheck[]; at: string } | null;
  /** Since when every test found something. */
  failing_since: string | null;
  /** What of Muster is in it, as far as the caller sees that. */
  used_by: { datasets: number; recordings: number; exports: number };
  objects: number;
  bytes: number;
}

/** The recordings in each bucket: by the prefix of their keys, which is constant so that the index carries it. */
async function countRecordings(uids: readonly string[]) {
  if (uids.length === 0) return new Map<string, { recordings: number; objects: number; bytes: number }>();
  const rows = await sql(
    { uid: text, recordings: int4, objects: float8, bytes: float8 },
    Prisma.join(
      uids.map(
        (uid) => Prisma.sql`select ${uid}::text as uid, count(distinct f.recording_id)::int as recordings,
            count(*)::float8 as objects, coalesce(sum(f.size_bytes), 0)::float8 as bytes
          from stored_files f where f.storage_key ^@ ${`${bucketPrefix(uid)}recordings/`} and f.confirmed_at is not null`,
      ),
      " union all ",
    ),
  );
  return new Map(rows.map((row) => [row.uid, row]));
}

/** Adds what the list shows: the last test of each bucket, and what is in it, by ranges of indexes. */
async function withOverview(ctx: Ctx, configs: readonly StorageConfigResource[]): Promise<StorageOverview[]> {
  const uids = configs.map(({ uid }) => uid);
  const [recordings, rows] = await Promise.all([
    countRecordings(uids),
    sql(
      {
        uid: text,
        failing_since: nullable(timestamptz),
        passed: nullable(bool),
        checks: nullable(jsonb(z.array(StorageCheck))),
        at: nullable(timestamptz),
        datasets: int4,
        exports: int4,
        objects: float8,
        bytes: float8,
      },
      Prisma.sql`
      select c.uid, c.failing_since, l.passed, l.checks, l.created_at as at, d.datasets, x.exports,
        d.objects + x.exports as objects, d.bytes + x.bytes as bytes
      from storage_configs c
      left join lateral (
        select t.passed, t.checks, t.created_at from storage_tests t
        where t.storage_config_id = c.uid order by t.uid desc limit 1) l on true
      cross join lateral (
        select count(*)::int as datasets, coalesce(sum(d.item_count), 0)::float8 as objects,
          coalesce(sum(d.size_bytes), 0)::float8 as bytes
        from datasets d where d.storage_config_id = c.uid and ${isVisible(ctx, "dataset", Prisma.sql`d.uid`)}) d
      cross join lateral (
        select count(*)::int as exports, coalesce(sum(e.size_bytes), 0)::float8 as bytes
        from exports e where e.storage_config_id = c.uid and e.storage_key is not null and ${isExportVisible(ctx)}) x
      where c.organization_id = ${ctx.organizationId} and c.uid = any(${uids})`,
    ),
  ]);
  const byUid = new Map(rows.map((row) => [row.uid, row]));
  return configs.map((config) => {
    const row = byUid.get(config.uid);
    const files = recordings.get(config.uid);
    return {
      ...config,
      last: row?.at && row.checks ? { passed: row.passed === true, checks: row.checks, at: row.at } : null,
      failing_since: row?.failing_since ?? null,
      used_by: { datasets: row?.datasets ?? 0, recordings: files?.recordings ?? 0, exports: row?.exports ?? 0 },
      objects: (row?.objects ?? 0) + (files?.objects ?? 0),
      bytes: (row?.bytes ?? 0) + (files?.bytes ?? 0),
    };
  });
}

/** Buckets with their last test and what is in them, newest first. */
export async function listStorageOverviews(ctx: Ctx, filters: StorageFilters): Promise<Page<StorageOverview>> {
  const page = await filterStorageConfigs(ctx, filters);
  return { ...page, results: await withOverview(ctx, page.results) };
}

/** One bucket as its list shows it. Throws `not_found`. */
export async function getStorageOverview(ctx: Ctx, uid: string): Promise<StorageOverview> {
  const config = await getStorageConfig(ctx, uid);
  const [overview] = await withOverview(ctx, [config]);
  if (!overview) throw notFound();
  return overview;
}
