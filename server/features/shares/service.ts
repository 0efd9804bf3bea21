import { randomBytes } from "node:crypto";
import { mayChange } from "@/domain/permissions";
import { maxShares, type CreateShare, type ShareFilters } from "@/domain/shares/schema";
import { audit } from "@/server/features/audit/service";
import type { RecordingResource } from "@/server/features/recordings/resource";
import { findRecording, lockRecording } from "@/server/features/recordings/service";
import type { CreatedShare, ShareResource } from "@/server/features/shares/resource";
import { databaseMs, databaseNow } from "@/server/platform/clock";
import { requireAuthor, type Ctx } from "@/server/platform/context";
import { sha256 } from "@/server/platform/crypto";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, sql, transaction } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { invalid, notFound } from "@/server/platform/errors";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { int4, nullable, text, timestamptz } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

const dayMs = 86_400_000;

interface Range {
  from: bigint;
  to: bigint;
}

/** The part of a range that was recorded. Throws `invalid` for one outside of the recording. */
function clampRange({ start_ns: first, end_ns: last, message_count: count }: RecordingResource, range: Range): Range {
  if (first === null || last === null || Number(count) === 0)
    throw invalid([], "The recording holds no messages that could be read.");
  const [start, end] = [BigInt(first), BigInt(last)];
  if (range.from > range.to) throw invalid("to", "Must not be before `from`.");
  if (range.from > end) throw invalid("from", "The recording ends before.");
  if (range.to < start) throw invalid("to", "The recording begins later.");
  return { from: range.from < start ? start : range.from, to: range.to > end ? end : range.to };
}

/**
 * Makes a link to a range of a recording for people without an account. Only its hash is stored: the link is returned this
 * once. Throws `not_found`, and `invalid` for a range outside of the recording or too many links.
 */
export async function createShare(
  ctx: Ctx,
  { uid: recordingId, note, days, plots, ...wanted }: CreateShare,
): Promise<CreatedShare> {
  const token = randomBytes(32).toString("base64url");
  return transaction(ctx, async (tx) => {
    const recording = await lockRecording(tx, recordingId);
    const { from, to } = clampRange(recording, wanted);
    const { organizationId, actor } = tx;
    const live = await tx.db.recordingShare.count({
      where: { recordingId, organizationId, revokedAt: null, expiresAt: { gt: databaseNow() } },
    });
    if (live >= maxShares)
      throw invalid([], `There are ${maxShares} links to this recording already. Revoke one first.`);
    const uid = uuidv7();
    const expiresAt = new Date(databaseMs() + Number(days) * dayMs);
    await tx.db.recordingShare.create({
      data: {
        uid,
        organizationId,
        recordingId,
        fromNs: from,
        toNs: to,
        note: note.trim(),
        plots,
        tokenHash: sha256(token),
        createdById: actor.userId,
        createdByName: actor.username ?? actor.name,
        expiresAt,
      },
    });
    await audit(tx, {
      action: "recording.shared",
      targetType: "recording",
      targetId: recordingId,
      targetName: recording.name,
      after: { share: uid, from_ns: String(from), to_ns: String(to), expires_at: expiresAt.toISOString(), note },
    });
    return { uid, url: `${env.PUBLIC_URL}/share/${token}`, expires_at: expiresAt.toISOString() };
  });
}

const row = {
  uid: text,
  from_ns: text,
  to_ns: text,
  note: text,
  created_by_id: nullable(text),
  created_by_name: text,
  created_at: timestamptz,
  expires_at: timestamptz,
  opened_count: int4,
  last_opened_at: nullable(timestamptz),
};

/** The links to a recording that are valid, newest first. Throws `not_found`. */
export async function listShares(ctx: Ctx, { uid, ...page }: ShareFilters): Promise<Page<ShareResource>> {
  await findRecording(ctx, uid);
  return keysetPage<ShareResource>(ctx, {
    name: "shares",
    filters: { uid },
    page,
    order: { columns: ["s.uid"], direction: "desc" },
    key: (share) => [share.uid],
    fetch: async ({ where, orderBy, limit }) => {
      const rows = await sql(
        row,
        Prisma.sql`select s.uid, s.from_ns::text as from_ns, s.to_ns::text as to_ns, s.note, s.created_by_id, s.created_by_name,
            s.created_at, s.expires_at, s.opened_count, s.last_opened_at
          from recording_shares s
          where s.recording_id = ${uid} and s.organization_id = ${ctx.organizationId} and s.revoked_at is null
            and s.expires_at > now() and ${where}
          order by ${orderBy} limit ${limit}`,
      );
      return rows.map(({ created_by_id: author, ...share }) => ({
        ...share,
        revocable: !ctx.permissions.readOnly && mayChange(ctx.permissions, ctx.actor.userId, author),
      }));
    },
  });
}

/** Ends a link at once, and with it what it handed out. Throws `not_found`, and `forbidden` for another member's link. */
export async function revokeShare(ctx: Ctx, uid: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const { organizationId } = tx;
    const share = await tx.db.recordingShare.findFirst({
      where: { uid, organizationId },
      include: { recording: { select: { name: true } } },
    });
    if (!share) throw notFound();
    requireAuthor(tx, share.createdById);
    const revoked = await execute(
      tx,
      Prisma.sql`update recording_shares set revoked_at = now()
        where uid = ${uid} and organization_id = ${organizationId} and revoked_at is null`,
    );
    if (revoked === 0) return;
    await audit(tx, {
      action: "recording.share_revoked",
      targetType: "recording",
      targetId: share.recordingId,
      targetName: share.recording.name,
      after: { share: uid },
    });
  });
}
