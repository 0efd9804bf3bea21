import { z } from "zod";
import { wholeNumber } from "@/domain/wire-values";

const sessionStatuses = ["active", "finalized"] as const;

export const UploadSessionResource = z.object({
  uid: z.string(),
  total_files: z.int(),
  total_bytes: wholeNumber,
  confirmed_files: z.int(),
  confirmed_bytes: wholeNumber,
  s3_prefix: z.string(),
  status: z.enum(sessionStatuses),
});
export type UploadSessionResource = z.output<typeof UploadSessionResource>;

export const SignedUrls = z.object({
  urls: z.array(
    z.object({ path: z.string(), put_url: z.string(), s3_key: z.string(), headers: z.record(z.string(), z.string()) }),
  ),
});
export type SignedUrls = z.output<typeof SignedUrls>;

export const Confirmation = z.object({ confirmed: z.int(), total_confirmed: z.int(), total_files: z.int() });
export type Confirmation = z.output<typeof Confirmation>;

/** The progress of an upload. */
export const UploadStatus = z.object({
  session_uid: z.string(),
  status: z.enum(sessionStatuses),
  total_files: z.int(),
  confirmed_files: z.int(),
  total_bytes: wholeNumber,
  confirmed_bytes: wholeNumber,
  pending_paths: z.array(z.string()),
});
export type UploadStatus = z.output<typeof UploadStatus>;

export const FinalizedUpload = z.object({ status: z.literal("finalized") });
