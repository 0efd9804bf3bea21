import { z } from "zod";
import type { DatasetPath } from "@/domain/datasets/schema";
import {
  nameStates,
  type DatasetSessions,
  type DatasetUploadFilters,
  type LookUpNames,
  type NameState,
} from "@/domain/datasets/upload-schema";
import { getDataset } from "@/server/features/datasets/service";
import { unknownSession } from "@/server/features/uploads/session-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, sql } from "@/server/platform/db";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { int4, int8, jsonb, notNull, nullable, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";

const uploadStatuses = ["active", "finalized", "expired"] as const;

const sessionRow = {
  uid: text,
  status: oneOf(uploadStatuses),
  total_files: int4,
  confirmed_files: int4,
  total_bytes: int8,
  confirmed_bytes: int8,
  failed_files: int4,
  created_at: timestamptz,
  finalized_at: nullable(timestamptz),
};
type SessionRow = Wire<typeof sessionRow>;

/** An upload session of a dataset; `pending_items` are its files that are not read yet. */
export type DatasetUpload = SessionRow & { pending_items: number };

/** A file that did not become an item. */
const FailedFile = z.object({ path: z.string(), error: z.string() });
export type FailedFile = z.output<typeof FailedFile>;

/** The number of files of each session that are not read yet. */
async function countPending(ctx: Ctx, datasetId: string, sessions: readonly string[]): Promise<Map<string, number>> {
  if (sessions.length === 0) return new Map();
  const rows = await query(
    ctx,
    { session_id: text, count: int4 },
    Prisma.sql`select f.session_id, count(*)::int as count
      from items i join stored_files f on f.storage_key = i.storage_key
      where i.dataset_id = ${datasetId} and i.organization_id = ${ctx.organizationId} and i.status = 'pending'
        and f.session_id = any(${sessions}) group by 1`,
  );
  return new Map(rows.map(({ session_id, count }) => [session_id, count]));
}

/** The upload sessions of a dataset, newest first. Throws `not_found`. */
export async function listDatasetUploads(
  ctx: Ctx,
  { owner, slug, limit, cursor }: DatasetUploadFilters,
): Promise<Page<DatasetUpload>> {
  const dataset = await getDataset(ctx, { owner, slug });
  const page = await keysetPage<SessionRow>(ctx, {
    name: "dataset-uploads",
    filters: { dataset: dataset.uid },
    page: { limit, cursor },
    order: { columns: ["s.uid"], direction: "desc" },
    key: (row) => [row.uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        sessionRow,
        Prisma.sql`select s.uid, s.status, s.total_files, s.confirmed_files, s.total_bytes, s.confirmed_bytes,
            jsonb_array_length(s.failures) as failed_files, s.created_at, s.finalized_at
          from upload_sessions s
          where s.dataset_id = ${dataset.uid} and s.organization_id = ${ctx.organizationId} and ${where}
          order by ${orderBy} limit ${rows}`,
      ),
  });
  const pending = await countPending(
    ctx,
    dataset.uid,
    page.results.map(({ uid }) => uid),
  );
  return { ...page, results: page.results.map((row) => ({ ...row, pending_items: pending.get(row.uid) ?? 0 })) };
}

/** The files of a session that did not become items, at most those of one session. Throws `not_found`, `invalid`. */
export async function listFailedFiles(ctx: Ctx, path: DatasetPath, sessionUid: string): Promise<FailedFile[]> {
  const dataset = await getDataset(ctx, path);
  const [session] = await query(
    ctx,
    { failures: jsonb(z.array(FailedFile)) },
    Prisma.sql`select failures from upload_sessions
      where uid = ${sessionUid} and dataset_id = ${dataset.uid} and organization_id = ${ctx.organizationId}`,
  );
  if (!session) throw unknownSession(sessionUid);
  return session.failures;
}

/** How far the files of an upload are read that came in several sessions. */
export interface ReadingProgress {
  total_files: number;
  pending_items: number;
  failed_files: number;
}

/** How far the files of these sessions of a dataset are read; unknown ones count nothing. Throws `not_found`. */
export async function readingProgress(ctx: Ctx, input: DatasetSessions): Promise<ReadingProgress> {
  const dataset = await getDataset(ctx, input);
  const [totals] = await query(
    ctx,
    { total_files: notNull(int4), failed_files: notNull(int4) },
    Prisma.sql`select coalesce(sum(s.total_files), 0)::int as total_files,
        coalesce(sum(jsonb_array_length(s.failures)), 0)::int as failed_files
      from upload_sessions s where s.uid = any(${input.sessions}) and s.dataset_id = ${dataset.uid}
        and s.organization_id = ${ctx.organizationId}`,
  );
  const pending = await countPending(ctx, dataset.uid, input.sessions);
  return {
    total_files: totals?.total_files ?? 0,
    failed_files: totals?.failed_files ?? 0,
    pending_items: [...pending.values()].reduce((sum, count) => sum + count, 0),
  };
}

/** What a dataset knows of a name, and the session that brought it, where one did. */
export interface KnownName {
  path: string;
  state: NameState;
  session_uid: string | null;
}

const knownRow = { path: notNull(text), state: notNull(oneOf(nameStates)), session_uid: nullable(text) };

/**
 * Those of the names that a dataset has items of, and those that the given sessions hold: `confirmed` or still `open`
 * while the session is not finalized, `failed` when the file did not become an item. Throws `not_found`.
 */
export async function lookUpNames(ctx: Ctx, input: LookUpNames): Promise<KnownName[]> {
  const dataset = await getDataset(ctx, input);
  const paths = [...new Set(input.paths)];
  const items = await query(
    ctx,
    knownRow,
    Prisma.sql`select i.key as path, 'item' as state, f.session_id as session_uid
      from items i left join stored_files f on f.storage_key = i.storage_key
      where i.dataset_id = ${dataset.uid} and i.organization_id = ${ctx.organizationId} and i.key = any(${paths})`,
  );
  if (input.sessions.length === 0) return items;
  const ofSessions = Prisma.sql`s.uid = any(${input.sessions}) and s.dataset_id = ${dataset.uid}
    and s.organization_id = ${ctx.organizationId}`;
  const files = await query(
    ctx,
    knownRow,
    Prisma.sql`select f.path, case when f.confirmed_at is null then 'open' else 'confirmed' end as state,
        s.uid as session_uid
      from upload_sessions s join stored_files f on f.session_id = s.uid
      where ${ofSessions} and s.status = 'active' and f.path = any(${paths})
      union all
      select x.value->>'path' as path, 'failed' as state, s.uid as session_uid
      from upload_sessions s cross join lateral jsonb_array_elements(s.failures) x
      where ${ofSessions} and x.value->>'path' = any(${paths})`,
  );
  return [...items, ...files];
}
