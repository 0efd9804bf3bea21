import { z } from "zod";
import { exportFormats } from "@/domain/exports/formats";
import { ExportContents, ExportSplit, exportedResults, exportStatuses } from "@/domain/exports/schema";
import { wholeNumber } from "@/domain/wire-values";

export const ExportResource = z.object({
  uid: z.string(),
  name: z.string(),
  format: z.enum(exportFormats),
  status: z.enum(exportStatuses),
  /** The numbers of items to export and exported so far; null until the worker starts. */
  total_task_count: z.int().nullable(),
  exported_task_count: z.int().nullable(),
  /** Signed, valid for 7 days after completion; null before and after. */
  download_url: z.string().nullable(),
  datasets: z.array(z.string()),
  slices: z.array(z.string()),
  projects: z.array(z.string()),
  organization: z.object({ uid: z.string(), name: z.string(), slug: z.string() }).nullable(),
  created_at: z.string(),
  /** Additive from here on. */
  filter_query_string: z.string(),
  /** Who requested it. Members may abort and retry only their own exports. */
  created_by_uid: z.string().nullable(),
  size_bytes: wholeNumber,
  error_message: z.string().nullable(),
  completed_at: z.string().nullable(),
  expires_at: z.string().nullable(),
  storage_config_uid: z.string().nullable(),
  demo: z.boolean(),
  results: z.enum(exportedResults).describe("Whether only accepted results are exported."),
  split: ExportSplit.nullable().describe("Null for formats that are not divided."),
  background: z.boolean().describe("Also pictures that nobody labelled."),
  sha256: z.string().nullable().describe("SHA-256 in hexadecimal; null until exported."),
  contents: ExportContents.nullable().describe("What the file holds; null until it is exported."),
  started_at: z.string().nullable().describe("When the last attempt began."),
});
export type ExportResource = z.output<typeof ExportResource>;
