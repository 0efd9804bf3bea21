import { createHash } from "node:crypto";
import pMap from "p-map";
import type { Issue } from "@/domain/issues";
import type { ConfirmUpload, InitUpload, UploadUrls } from "@/domain/uploads/schema";
import { wireInteger } from "@/domain/wire-values";
import { requireQuota } from "@/server/features/uploads/quota-service";
import type { SignedUrls, UploadSessionResource, UploadStatus } from "@/server/features/uploads/resource";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query } from "@/server/platform/db";
import { invalid, invalidInput } from "@/server/platform/errors";
import { int8, nullable, text, timestamptz } from "@/server/platform/rows";
import { objectStore } from "@/server/platform/storage/current";
import { inBucket } from "@/server/platform/storage/keys";
import { ownStore } from "@/server/platform/storage/own";
import { type StoredObject, storeConcurrency } from "@/server/platform/storage/store";
import { uuidv7 } from "@/server/platform/uid";

/**
 * An upload session: a recording has one, a dataset any number. Every function here runs in the transaction of the
 * owner's service, which has locked the owner's row.
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

/** The owner of the files, and the key prefix under which they are stored. */
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

/** Equal for two sessions with the same files. */
export function hashOfFiles(files: InitUpload["files"]): string {
  const sorted = files.map((file) => JSON.stringify([file.path, file.size_bytes])).sort();
  return createHash("sha256").update(sorted.join("\n")).digest("hex");
}

export const unknownSession = (sessionUid: string) =>
  invalid("session_uid", `Invalid pk "${sessionUid}" - object does not exist.`);

/** The limit of a single PUT to a bucket. */
const maxBucketFileBytes = 5 * 1024 ** 3;

/**
 * Opens a session for these files. Throws `invalid("files")` naming those that are too large for a bucket, and when they
 * would exceed the organization's quota.
 */
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
  const totalBytes = files.reduce((total, file) => total + BigInt(file.size_bytes), 0n);
  await requireQuota(tx, prefix, totalBytes);
  const session = await tx.db.uploadSession.create({
    data: {
      ...of,
      uid: uuidv7(),
      organizationId: tx.organizationId,
      filesHash: hashOfFiles(files),
      prefix,
      totalFiles: files.length,
      totalBytes,
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
 * URLs for PUTting the bytes of unconfirmed files; one that starts with `/` is on Muster's own server. Throws
 * `invalid("file_paths")` naming a path that is not part of the upload or already confirmed.
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
        direct: tx.actor.type !== "user",
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

/** The number of files confirmed by this call, and the totals of the session. */
export interface Confirmed {
  confirmed: number;
  totalConfirmed: number;
  confirmedBytes: bigint;
}

/** The objects in customers' buckets by storage key; null where nothing was uploaded. */
export type Seen = ReadonlyMap<string, StoredObject | null>;

/**
 * Looks up files to be confirmed in customers' buckets. Called before the transaction that confirms them, so that a
 * slow bucket blocks neither rows nor a connection.
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
 * Ends other uploads to a key. Only then is it certain that the object no longer changes, since a stalled process might
 * still publish an upload. False when the object was replaced before.
 */
async function confirmStored(key: string, stored: StoredObject): Promise<boolean> {
  if (inBucket(key)) return true;
  await ownStore().discard(key);
  return (await ownStore().head(key))?.etag === stored.etag;
}

/**
 * Confirms uploaded files after comparing size and entity tag with what is stored; their bytes do not change
 * afterwards. All files of the call or, throwing `invalid("files")` with the reason for each, none.
 */
export async function confirmFiles(
  tx: Ctx,
  session: UploadSession,
  input: ConfirmUpload,
  seen: Seen,
): Promise<Confirmed> {
  // Locked, so that no upload to Muster's own store can replace bytes between this check and the commit.
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
      const unchanged = bareTag(claim.etag) === bareTag(stored.etag) && (await confirmStored(file.storage_key, stored));
      if (!unchanged) return wrong("etag", "The stored bytes have another tag.");
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

/** Finalizes a session. Throws `invalid("session_uid")` while files are pending. */
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
    data: { status: "finalized", finalizedAt: databaseNow() },
  });
}

/** A session without the files that Muster made beside those of the upload, which its totals count as stored. */
export async function uploadedTotals(ctx: Ctx, session: UploadSession): Promise<UploadSession> {
  const made = await ctx.db.storedFile.aggregate({
    where: { sessionId: session.uid, derivedFrom: { not: null } },
    _count: true,
    _sum: { sizeBytes: true },
  });
  const bytes = made._sum.sizeBytes ?? 0n;
  return {
    ...session,
    totalFiles: session.totalFiles - made._count,
    confirmedFiles: session.confirmedFiles - made._count,
    totalBytes: session.totalBytes - bytes,
    confirmedBytes: session.confirmedBytes - bytes,
  };
}

/** The progress of a session. */
export async function sessionStatus(ctx: Ctx, session: UploadSession): Promise<UploadStatus> {
  const pending = await ctx.db.storedFile.findMany({
    where: { sessionId: session.uid, confirmedAt: null },
    orderBy: { position: "asc" },
    select: { path: true },
  });
  const uploaded = await uploadedTotals(ctx, session);
  return {
    session_uid: session.uid,
    status: session.status === "finalized" ? "finalized" : "active",
    total_files: uploaded.totalFiles,
    confirmed_files: uploaded.confirmedFiles,
    total_bytes: wireInteger(uploaded.totalBytes),
    confirmed_bytes: wireInteger(uploaded.confirmedBytes),
    pending_paths: pending.map((file) => file.path),
  };
}
