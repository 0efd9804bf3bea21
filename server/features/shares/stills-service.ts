import pLimit from "p-limit";
import type { SharedRecording } from "@/domain/shares/shared-recording";
import { openPacked } from "@/engine/formats/packed/packed-reader";
import { RecordingError } from "@/engine/formats/recording-error";
import { MessageDecoders } from "@/engine/messages/message-decoders";
import { isVideoSchema } from "@/engine/messages/pictures/picture-schemas";
import { findPictureAdapter } from "@/engine/messages/pictures/pictures";
import { UnreadableMessage } from "@/engine/messages/reading";
import { toJpeg } from "@/server/features/captures/jpeg";
import { ReadBudget } from "@/server/features/captures/read-budget";
import { readVideoJpeg } from "@/server/features/captures/video-jpeg";
import { listCameras } from "@/server/features/filmstrips/service";
import { openByteSources } from "@/server/features/recordings/file-service";
import { requireTopic } from "@/server/features/recordings/message-service";
import { loadPack } from "@/server/features/recordings/pack-service";
import { readStillLink, signStillLink } from "@/server/features/shares/link";
import { findLiveShare, type LiveShare } from "@/server/features/shares/live-queries";
import { systemContext, type Ctx } from "@/server/platform/context";
import { prisma } from "@/server/platform/db";
import { isServiceError, ServiceError } from "@/server/platform/errors";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { processWide } from "@/server/platform/process-wide";
import { ObjectMissing } from "@/server/platform/storage/store";

/** Pictures of one page, and the cameras that they show at most. */
const maxStills = 12;
const maxCameras = 4;
/** Bytes that are read of the files for one picture, and of unpacked chunks that stay in memory. */
const maxBytes = 64 * 1024 * 1024;
const budgetMs = 15_000;
/** Pictures that are read at a time by a process, and that may wait: those of a few pages. */
const [concurrency, maxWaiting] = [2, 60];

const reading = processWide("shareStills", () => pLimit(concurrency));

/** Links to pictures of the cameras, evenly in time over a range; nothing is read for them. */
export async function listStills(
  ctx: Ctx,
  recordingId: string,
  { share, from, to }: { share: string; from: bigint; to: bigint },
): Promise<SharedRecording["cameras"]> {
  const topics = (await listCameras(ctx, recordingId)).slice(0, maxCameras);
  const each = Math.floor(maxStills / Math.max(1, topics.length));
  const moments = Array.from({ length: each }, (_, at) => from + ((to - from) * BigInt(2 * at + 1)) / BigInt(2 * each));
  return topics.map((topic) => ({
    topic,
    stills: [...new Set(moments)].map((at) => ({ at_ns: String(at), url: signStillLink({ share, topic, at }) })),
  }));
}

/** The picture of a link; null for one that is not valid or of a share that has ended, and where there is no picture. */
export async function findLinkedStill(url: URL): Promise<{ bytes: Uint8Array } | null> {
  const link = readStillLink(url);
  const share = link && (await findLiveShare(link.share));
  if (!link || !share) return null;
  if (reading.pendingCount >= maxWaiting)
    throw new ServiceError("unavailable", { detail: "Too many pictures are read at the moment." });
  const bytes = await reading(() => readStill(share, link.topic, link.at));
  return bytes && { bytes };
}

/** The picture of a camera at a moment, of a message within what is shared; null where there is none. */
async function readStill(share: LiveShare, topic: string, at: bigint): Promise<Uint8Array | null> {
  const { organization_id: organizationId, recording_id: recordingId, from_ns: from } = share;
  const ctx = systemContext(prisma, organizationId);
  const signal = AbortSignal.timeout(budgetMs);
  const budget = new ReadBudget(maxBytes, budgetMs, signal);
  const found: Uint8Array[] = [];
  try {
    const { schemaName } = await requireTopic(ctx, recordingId, topic);
    const { bytes: pack } = await loadPack(ctx, recordingId);
    const files = await openByteSources(ctx, recordingId);
    const sources = new Map(files.map((file) => [file.id ?? "", budget.limit(file)]));
    const opened = openPacked(pack, sources, await recordingCodecs(), maxBytes);
    if (opened === null) return null;
    const decoders = new MessageDecoders();
    await budget.leaving({ bytes: 0, ms: 0 }, async () => {
      const message = await opened.chunks.findLatest(topic, at);
      if (message === null || message.logTime < from) return;
      const adapter = findPictureAdapter(schemaName);
      if (isVideoSchema(schemaName))
        found.push((await readVideoJpeg(opened.chunks, decoders, { topic, at: message.logTime }, signal)).bytes);
      else if (adapter !== null) found.push((await toJpeg(adapter(decoders.decode(message)))).bytes);
    });
  } catch (error) {
    if (!signal.aborted && !isUnreadable(error)) throw error;
  }
  return found[0] ?? null;
}

const isUnreadable = (error: unknown): boolean =>
  error instanceof UnreadableMessage ||
  error instanceof RecordingError ||
  error instanceof ObjectMissing ||
  (isServiceError(error) && (error.code === "not_found" || error.code === "invalid"));
