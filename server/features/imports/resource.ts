import { z } from "zod";
import { importModes, importStatuses, sizeChoices } from "@/domain/annotation-imports/choices";
import { importFormats } from "@/domain/annotation-imports/formats";
import { ImportFindings, ImportReportRow } from "@/domain/annotation-imports/schema";
import { wholeNumber } from "@/domain/wire-values";

/** A file of annotations that is brought into a project. */
export const ImportResource = z.object({
  uid: z.string(),
  project: z.string(),
  file_name: z.string(),
  size_bytes: wholeNumber,
  format: z.enum(importFormats).nullable().describe("Null until the file was looked at."),
  status: z.enum(importStatuses),
  mode: z.enum(importModes).nullable().describe("Null until it is started."),
  sizes: z.enum(sizeChoices).nullable(),
  findings: ImportFindings.nullable().describe("What is in the file; null until it was looked at."),
  total: z.int().nullable().describe("Pictures of the file."),
  position: z.int().describe("Pictures read so far."),
  done: z.int().describe("Pictures whose annotations are in the project now."),
  unchanged: z.int().describe("Pictures that had them from the same file, or have none."),
  failed: z.int().describe("Pictures that were left out."),
  annotation_count: z.int().describe("Annotations that are in the project now."),
  annotations_left: z.int().describe("Annotations that were left out."),
  error_message: z.string().nullable(),
  created_by: z.string().nullable(),
  created_by_name: z.string(),
  created_at: z.string(),
  started_at: z.string().nullable(),
  completed_at: z.string().nullable(),
});
export type ImportResource = z.output<typeof ImportResource>;

export const ImportUpload = ImportResource.extend({
  put_url: z.string().describe("PUT the file there, within an hour."),
});
export type ImportUpload = z.output<typeof ImportUpload>;

export const ImportReport = z.object({
  rows: z.array(ImportReportRow).describe("At most 1,000, in the order of the file."),
});
export type ImportReport = z.output<typeof ImportReport>;
