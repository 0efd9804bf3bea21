import { z } from "zod";
import { list, uid } from "@/domain/fields";
import { filePath } from "@/domain/uploads/file-path";

/** As large as an S3 object can be. */
const maxFileBytes = 5 * 1024 ** 4;
const sizeBytes = z.int().min(0).max(maxFileBytes);
const sessionUid = uid();
/** The files of an upload, as the uploader names them. Inside lists, names are those of the wire. */
export const InitUpload = z.object({
  files: list(z.object({ path: filePath(), size_bytes: sizeBytes }), 1_000, 1).refine(
    (files) => new Set(files.map((file) => file.path)).size === files.length,
    { error: "Every path may be named once only." },
  ),
  storage_config_uid: z.string().nullable().optional(),
});
export type InitUpload = z.output<typeof InitUpload>;

export const UploadUrls = z.object({
  session_uid: sessionUid,
  file_paths: list(z.string(), 100, 1),
  /** Seconds for which the URLs are valid. Default 3,600, at most a week. */
  ttl_seconds: z.int().min(1).max(604_800).optional(),
});
export type UploadUrls = z.output<typeof UploadUrls>;

export const ConfirmUpload = z.object({
  session_uid: sessionUid,
  files: list(z.object({ path: z.string(), etag: z.string().max(1_024), size_bytes: z.int() }), 500, 1),
});
export type ConfirmUpload = z.output<typeof ConfirmUpload>;

export const FinalizeUpload = z.object({ session_uid: sessionUid });
export type FinalizeUpload = z.output<typeof FinalizeUpload>;
