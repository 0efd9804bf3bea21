import { z } from "zod";
import { SharedField } from "@/domain/shares/schema";
import type { SharedPlot, SharedRecording } from "@/domain/shares/shared-recording";
import { linkCut } from "@/server/features/cuts/link";
import { select } from "@/server/features/cuts/selection-service";
import type { RecordingResource } from "@/server/features/recordings/resource";
import { readSeriesWindow } from "@/server/features/recordings/series-service";
import { findRecording } from "@/server/features/recordings/service";
import { readViewers } from "@/server/features/recordings/viewer-service";
import { listStills } from "@/server/features/shares/stills-service";
import { databaseMs } from "@/server/platform/clock";
import { systemContext, type Ctx } from "@/server/platform/context";
import { sha256 } from "@/server/platform/crypto";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query } from "@/server/platform/db";
import { isServiceError } from "@/server/platform/errors";
import { noteAccess } from "@/server/platform/observability/access-log";
import { int8, jsonb, text, timestamptz, type Native } from "@/server/platform/rows";
import { ObjectMissing } from "@/server/platform/storage/store";

const tokenShape = /^[A-Za-z0-9_-]{43}$/;
/** How long links of the page are good for, unless the share ends before. */
const linkSeconds = 3_600;
/** Points of a plot. */
const plotPoints = 400;

const shareRow = {
  uid: text,
  organization_id: text,
  organization_name: text,
  recording_id: text,
  from_ns: int8,
  to_ns: int8,
  note: text,
  plots: jsonb(z.array(SharedField)),
  created_by_name: text,
  expires_at: timestamptz,
};
type Share = Native<typeof shareRow>;

/** Who opens a link, for the audit log. */
interface Visit {
  ip: string | null;
  requestId: string | null;
}

/** The share of a token, which counts as opened; null for one that is not valid, for whatever reason. */
async function open(token: string): Promise<Share | null> {
  if (!tokenShape.test(token)) return null;
  const [share] = await query(
    { db: prisma },
    shareRow,
    Prisma.sql`update recording_shares s set opened_count = s.opened_count + 1, last_opened_at = now()
      from organizations o
      where s.token_hash = ${sha256(token)} and s.revoked_at is null and s.expires_at > now()
        and o.uid = s.organization_id and o.deletes_at is null
      returning s.uid, s.organization_id, o.name as organization_name, s.recording_id, s.from_ns, s.to_ns, s.note,
        s.plots, s.created_by_name, s.expires_at`,
  );
  return share ?? null;
}

/**
 * What a link shows to whoever has it, and notes that it was opened; null for one that is wrong, expired or revoked, and
 * when its recording or organization was deleted.
 */
export async function openShare(token: string, { ip, requestId }: Visit): Promise<SharedRecording | null> {
  const share = await open(token);
  if (!share) return null;
  const { organization_id: organizationId, recording_id: recordingId } = share;
  const ctx = systemContext(prisma, organizationId);
  const recording = await findRecording(ctx, recordingId).catch(orNull);
  if (!recording) return null;
  noteAccess({
    where: { organizationId },
    actor: { type: "anonymous", id: ip ?? "unknown", name: ip ?? "unknown" },
    action: "recording.share_opened",
    target: { type: "recording", id: recordingId, name: recording.name },
    ip,
    requestId,
    minutes: 60,
  });
  const seconds = Math.min(linkSeconds, Math.max(1, Math.floor((share.expires_at.getTime() - databaseMs()) / 1_000)));
  const range = { from: share.from_ns, to: share.to_ns };
  return {
    name: recording.name,
    device_name: recording.device_name,
    started_at: recording.started_at,
    organization_name: share.organization_name,
    shared_by: share.created_by_name,
    expires_at: share.expires_at.toISOString(),
    note: share.note,
    from_ns: String(range.from),
    to_ns: String(range.to),
    plots: await readPlots(ctx, share),
    cameras: await listStills(ctx, recordingId, { share: share.uid, ...range }),
    download: await linkDownload(ctx, share, seconds),
    viewers: isWhole(recording, range) ? await readViewers(asShare(ctx, share), recordingId, seconds) : null,
  };
}

/** What is stored of the fields that are plotted: opening a page reads no files. Those without numbers are left out. */
async function readPlots(
  ctx: Ctx,
  { recording_id: uid, from_ns: from, to_ns: to, plots }: Share,
): Promise<SharedPlot[]> {
  const read: SharedPlot[] = [];
  for (const { topic, field } of plots) {
    const wanted = { topic, field, from, to, points: plotPoints };
    const found = await readSeriesWindow(ctx, uid, wanted, { storedOnly: true }).catch(orUnread);
    if (found?.kind === "number" && found.points.length > 0) read.push({ ...found, kind: "number" });
  }
  return read;
}

/** Who reads what the link of a viewer grants, for the audit log. */
const asShare = (ctx: Ctx, { uid }: Share): Ctx => ({ ...ctx, actor: { ...ctx.actor, id: `share ${uid}` } });

/** Viewers read the whole file, so that they can open only what is shared as a whole. */
const isWhole = ({ start_ns: start, end_ns: end }: RecordingResource, { from, to }: { from: bigint; to: bigint }) =>
  start !== null && end !== null && from <= BigInt(start) && to >= BigInt(end);

/** Null while the recording holds nothing of the range that could be read, as while it is processed again. */
async function linkDownload(ctx: Ctx, share: Share, seconds: number): Promise<SharedRecording["download"]> {
  const { uid: id, organization_id: organizationId, recording_id: uid, from_ns: from, to_ns: to } = share;
  const selection = await select(ctx, uid, { from, to, format: "mcap", topics: undefined }).catch(orNull);
  if (!selection) return null;
  const range = new URLSearchParams({ from: String(from), to: String(to), format: "mcap" });
  const { url } = linkCut({ organizationId, uid, by: { type: "share", id }, query: range }, seconds);
  return { url, file_name: selection.fileName };
}

/** A page opens also where the bucket of its series is away, or they are lost. */
function orUnread(error: unknown): null {
  if (isServiceError(error) || error instanceof ObjectMissing) return null;
  throw error;
}

function orNull(error: unknown): null {
  if (isServiceError(error) && (error.code === "not_found" || error.code === "invalid")) return null;
  throw error;
}
