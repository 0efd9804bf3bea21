import type { ExportFormat } from "@/domain/exports/schema";
import type { FormatWriter } from "@/server/features/exports/format";
import { json } from "@/server/features/exports/json-queries";
import { yolo } from "@/server/features/exports/yolo-queries";

/** The writer of each format. */
export const exportWriters: Readonly<Record<ExportFormat, FormatWriter>> = { "avala-json-external": json, YOLO: yolo };
