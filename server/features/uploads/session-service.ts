import { createHash } from "node:crypto";
import pMap from "p-map";
import type { Issue } from "@/domain/issues";
import type { ConfirmUpload, InitUpload, UploadUrls } from "@/domain/uploads/schema";
import { wireInteger } from "@/domain/wire-values";
import type { SignedUrls, UploadSessionResource, UploadStatus } from "@/server/features/uploads/resource";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query } from "@/server/platform/db";
import { invalid, invalidInput } from "@/server/platform/errors";
import { int8, nullable, text, timestamptz } from "@/server/platform/rows";
import { diskStore, objectStore } from "@/server/platform/storage/current";
import { inBucket } from "@/server/platform/storage/keys";
import { type StoredObject, storeConcurrency } from "@/server/platform/storage/store";
import { uuidv7 } from "@/server/platform/uid";

/**
 * Upload sessions, whatever they bring files to: a recording has one, a dataset as many as it likes. Everything here
 * runs in the transaction of the owner's service, which holds the owner's row.
 */
export interface UploadSession {
  uid: string;
  status: string;
  filesHash: string;
  prefix: string;
  totalFiles: number;
  totalBytes: bigint;
  confirmedFiles: number;
  confirmedBytes: bigint;
}

/** What the files are brought to, and below which key they are stored. */
export type UploadOwner = { prefix: string } & ({ recordingId: string } | { datasetId: string });

export const serializeSession = async (session: UploadSession): Promise<UploadSessionResource> => ({
  uid: session.uid,
  total_files: session.totalFiles,
  total_bytes: wireInteger(session.totalBytes),
  confirmed_files: session.confirmedFiles,
  confirmed_bytes: wireInteger(session.confirmedBytes),
  s3_prefix: await objectStore().objectName(session.prefix),
  status: session.status === "finalized" ? "finalized" : "active",
});

/** What two sessions for the same files have in common. */
export function hashOfFiles(files: InitUpload["files"]): string {
  const sorted = files.map((file) => JSON.stringify([file.path, file.size_bytes])).sort();
  return createHash("sha256").update(sorted.join("\n")).digest("hex");
}

export const unknownSession = (sessionUid: string) =>
  invalid("session_uid", `Invalid pk "${sessionUid}" - object does not exist.`);

/** As much as a bucket takes in one PUT. */
const maxBucketFileBytes = 5 * 1024 ** 3;

/** Opens a session for these files. Throws `invalid("files")` naming those that are too large for a bucket. */
export async function openSession(tx: Ctx, owner: UploadOwner, files: InitUpload["files"]): Promise<UploadSession> {
  const { prefix, ...of } = owner;
  const tooLarge = inBucket(prefix)
    ? files.flatMap(({ size_bytes }, position) => (size_bytes > maxBucketFileBytes ? [position] : []))
    : [];
  if (tooLarge.length > 0)
    throw invalidInput(
      tooLarge.map((position) => ({
        path: ["files", position, "size_bytes"],
        message: "A bucket takes at most 5 GiB in one file.",
      })),
    );
  const session = await tx.db.uploadSession.create({
    data: {
      ...of,
      uid: uuidv7(),
      organizationId: tx.organizationId,
      filesHash: hashOfFiles(files),
      prefix,
      totalFiles: files.length,
      totalBytes: files.reduce((total, file) => total + BigInt(file.size_bytes), 0n),
    },
  });
  await tx.db.storedFile.createMany({
    data: files.map((file, position) => {
      const uid = uuidv7();
      return {
        uid,
        organizationId: tx.organizationId,
        sessionId: session.uid,
        recordingId: "recordingId" in of ? of.recordingId : null,
        path: file.path,
        storageKey: `${prefix}${uid}`,
        sizeBytes: BigInt(file.size_bytes),
        position,
      };
    }),
  });
  return session;
}

const getAccountId = (ctx: Ctx): string =>
  ctx.actor.type === "device" ? `device:${ctx.actor.id}` : `user:${ctx.actor.userId ?? ctx.actor.id}`;

/**
 * Where to PUT the bytes of files that are not confirmed yet. A URL that begins with `/` is on our own server. Throws
 * `invalid("file_paths")` naming a path that is not of this upload or is confirmed.
 */
export async function sessionUrls(tx: Ctx, session: UploadSession, input: UploadUrls): Promise<SignedUrls> {
  const paths = [...new Set(input.file_paths)];
  const rows = await tx.db.storedFile.findMany({ where: { sessionId: session.uid, path: { in: paths } } });
  const files = new Map(rows.map((file) => [file.path, file]));
  const store = objectStore();
  const urls = await Promise.all(
    paths.map(async (path) => {
      const file = files.get(path);
      if (!file) throw invalid("file_paths", `"${shown(path)}" is not a file of this upload.`);
      if (file.confirmedAt) throw invalid("file_paths", `"${shown(path)}" is confirmed already.`);
      const { url, headers } = await store.uploadUrl({
        key: file.storageKey,
        sizeBytes: Number(file.sizeBytes),
        account: getAccountId(tx),
        ttlSeconds: input.ttl_seconds ?? 3_600,
      });
      return { path, put_url: url, s3_key: await store.objectName(file.storageKey), headers };
    }),
  );
  return { urls };
}

const shown = (path: string): string => (path.length > 200 ? `${path.slice(0, 200)}…` : path);
const bareTag = (etag: string): string => etag.trim().replace(/^"|"$/g, "").toLowerCase();

const fileRow = { uid: text, path: text, storage_key: text, size_bytes: int8, confirmed_at: nullable(timestamptz) };

/** What a confirmation brought: files of this call, and of the session in all. */
export interface Confirmed {
  confirmed: number;
  totalConfirmed: number;
  confirmedBytes: bigint;
}

/**
 * What customers' buckets hold under the storage keys of an upload's files; null under those that nothing was uploaded
 * for.
 */
export type Seen = ReadonlyMap<string, StoredObject | null>;

/**
 * Looks into customers' buckets for files that are to be confirmed. Before the transaction that confirms them: a bucket
 * that is slow to answer holds no row and no connection of ours then.
 */
export async function lookIntoBuckets(ctx: Ctx, { session_uid: sessionUid, files }: ConfirmUpload): Promise<Seen> {
  const paths = files.map((file) => file.path);
  const where = { sessionId: sessionUid, organizationId: ctx.organizationId, path: { in: paths } };
  const rows = await ctx.db.storedFile.findMany({ where, select: { storageKey: true } });
  const keys = rows.map(({ storageKey }) => storageKey).filter((key) => inBucket(key) !== null);
  return new Map(
    await pMap(keys, async (key) => [key, await objectStore().head(key)] as const, { concurrency: storeConcurrency }),
  );
}

/**
 * Ends what else is being uploaded under a key. Only then is it certain that the object stays as it is: a process that
 * hung while it published an upload might go on later. False when the object was replaced before that.
 */
async function confirmStored(key: string, stored: StoredObject): Promise<boolean> {
  if (inBucket(key)) return true;
  await diskStore().discard(key);
  return (await diskStore().head(key))?.etag === stored.etag;
}

/**
 * Takes the client's word that files arrived, holding size and entity tag against what is stored; from then on their
 * bytes do not change. All of the call's files or, throwing `invalid("files")` with what is wrong where, none.
 */
export async function confirmFiles(
  tx: Ctx,
  session: UploadSession,
  input: ConfirmUpload,
  seen: Seen,
): Promise<Confirmed> {
  // Locked, so that no upload to our own store can replace bytes between this check and the commit.
  const rows = await query(
    tx,
    fileRow,
    Prisma.sql`select uid, path, storage_key, size_bytes, confirmed_at from stored_files
      where session_id = ${session.uid} and path = any(${input.files.map((file) => file.path)}) order by uid for update`,
  );
  const known = new Map(rows.map((file) => [file.path, file]));
  const confirmed = new Map<string, string>();
  const problems = await pMap(
    input.files,
    async (claim, position): Promise<Issue | null> => {
      const wrong = (member: keyof typeof claim, message: string) => ({ path: ["files", position, member], message });
      const file = known.get(claim.path);
      if (!file) return wrong("path", "It is not a file of this upload.");
      const stored = seen.has(file.storage_key)
        ? seen.get(file.storage_key)
        : await objectStore().head(file.storage_key);
      if (!stored) return wrong("path", "Nothing was uploaded for it yet.");
      if (claim.size_bytes !== Number(file.size_bytes) || stored.sizeBytes !== Number(file.size_bytes)) {
        return wrong("size_bytes", `${stored.sizeBytes} bytes are stored, ${file.size_bytes} were declared.`);
      }
      const settled = bareTag(claim.etag) === bareTag(stored.etag) && (await confirmStored(file.storage_key, stored));
      if (!settled) return wrong("etag", "The stored bytes have another tag.");
      confirmed.set(file.uid, stored.etag);
      return null;
    },
    { concurrency: storeConcurrency },
  );
  const faults = problems.filter((problem) => problem !== null);
  if (faults.length > 0) throw invalidInput(faults);

  await execute(
    tx,
    Prisma.sql`update stored_files f set etag = c.etag, confirmed_at = coalesce(f.confirmed_at, now())
      from unnest(${[...confirmed.keys()]}::text[], ${[...confirmed.values()]}::text[]) as c(uid, etag) where f.uid = c.uid`,
  );
  const total = await tx.db.storedFile.aggregate({
    where: { sessionId: session.uid, confirmedAt: { not: null } },
    _count: true,
    _sum: { sizeBytes: true },
  });
  const confirmedBytes = total._sum.sizeBytes ?? 0n;
  await tx.db.uploadSession.update({
    where: { uid: session.uid },
    data: { confirmedFiles: total._count, confirmedBytes },
  });
  return { confirmed: confirmed.size, totalConfirmed: total._count, confirmedBytes };
}

/** Ends a session. Throws `invalid("session_uid")` while files are pending. */
export async function finalizeSession(tx: Ctx, session: UploadSession): Promise<void> {
  const pending = session.totalFiles - session.confirmedFiles;
  if (pending > 0) {
    throw invalid(
      "session_uid",
      pending === 1 ? "1 file is not confirmed yet." : `${pending} files are not confirmed yet.`,
    );
  }
  await tx.db.uploadSession.update({
    where: { uid: session.uid },
    data: { status: "finalized", finalizedAt: new Date() },
  });
}

/** How far a session got. */
export async function sessionStatus(ctx: Ctx, session: UploadSession): Promise<UploadStatus> {
  const pending = await ctx.db.storedFile.findMany({
    where: { sessionId: session.uid, confirmedAt: null },
    orderBy: { position: "asc" },
    select: { path: true },
  });
  return {
    session_uid: session.uid,
    status: session.status === "finalized" ? "finalized" : "active",
    total_files: session.totalFiles,
    confirmed_files: session.confirmedFiles,
    total_bytes: wireInteger(session.totalBytes),
    confirmed_bytes: wireInteger(session.confirmedBytes),
    pending_paths: pending.map((file) => file.path),
  };
}
