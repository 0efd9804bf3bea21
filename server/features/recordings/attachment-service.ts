import { z } from "zod";
import type { Attachment } from "@/engine/formats/attachment";
import { linkSeconds } from "@/server/features/recordings/file-service";
import type { RecordingAttachment } from "@/server/features/recordings/resource";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { displayName } from "@/server/platform/storage/file-name";
import { downloadLink } from "@/server/platform/storage/links";

/** An attachment or metadata record as `recordings.attachments` holds it. */
const StoredAttachment = z.object({
  kind: z.enum(["attachment", "metadata"]),
  name: z.string(),
  media_type: z.string(),
  log_time_ns: z.string().nullable(),
  create_time_ns: z.string().nullable(),
  values: z.record(z.string(), z.string()).nullable(),
  truncated: z.boolean(),
  file_uid: z.string().nullable(),
  offset: z.int(),
  length: z.int(),
});
type StoredAttachment = z.output<typeof StoredAttachment>;

// The format's times are unsigned, the engine's signed.
const toText = (time: bigint | null): string | null => (time === null ? null : String(BigInt.asUintN(64, time)));

export const storeAttachment = (attachment: Attachment): StoredAttachment => ({
  kind: attachment.kind,
  name: attachment.name,
  media_type: attachment.mediaType,
  log_time_ns: toText(attachment.logTime),
  create_time_ns: toText(attachment.createTime),
  values: attachment.values,
  truncated: attachment.truncated,
  file_uid: attachment.file,
  offset: attachment.offset,
  length: attachment.length,
});

/**
 * The attachments and metadata records of a recording's files as processing found them, with links to download them:
 * attachments as they were written, metadata as JSON. Throws `not_found`.
 */
export async function listAttachments(ctx: Ctx, recordingId: string): Promise<RecordingAttachment[]> {
  const recording = await ctx.db.recording.findFirst({
    where: { uid: recordingId, organizationId: ctx.organizationId },
    select: {
      attachments: true,
      files: { where: { confirmedAt: { not: null } }, select: { uid: true, storageKey: true } },
    },
  });
  if (!recording) throw notFound();
  const keys = new Map(recording.files.map((file) => [file.uid, file.storageKey]));
  return StoredAttachment.array()
    .parse(recording.attachments)
    .map(({ offset, length, ...attachment }) => {
      const { kind, name, media_type } = attachment;
      const key = keys.get(attachment.file_uid ?? "");
      const isMetadata = kind === "metadata";
      const target = {
        key: key ?? "",
        fileName: displayName(isMetadata ? `${name}.json` : name),
        by: ctx.actor,
        ttlSeconds: linkSeconds,
      };
      const part = { as: isMetadata ? ("metadata" as const) : ("bytes" as const), start: offset, end: offset + length };
      return {
        ...attachment,
        media_type: isMetadata ? "application/json" : media_type,
        size_bytes: length,
        download_url: key === undefined ? null : downloadLink(target, part),
      };
    });
}
