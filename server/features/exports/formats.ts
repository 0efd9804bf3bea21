import type { ExportFormat } from "@/domain/exports/formats";
import { coco } from "@/server/features/exports/coco-queries";
import { cvat } from "@/server/features/exports/cvat-queries";
import type { FormatWriter } from "@/server/features/exports/format";
import { json } from "@/server/features/exports/json-queries";
import { labelStudio } from "@/server/features/exports/label-studio-queries";
import { cocoPanoptic } from "@/server/features/exports/panoptic-queries";
import { makeYoloWriter } from "@/server/features/exports/yolo-queries";

/** The writer of each format. */
export const exportWriters: Readonly<Record<ExportFormat, FormatWriter>> = {
  "avala-json-external": json,
  YOLO: makeYoloWriter("YOLO"),
  "YOLO-segment": makeYoloWriter("YOLO-segment"),
  "YOLO-pose": makeYoloWriter("YOLO-pose"),
  "YOLO-OBB": makeYoloWriter("YOLO-OBB"),
  COCO: coco,
  "COCO-panoptic": cocoPanoptic,
  CVAT: cvat,
  LabelStudio: labelStudio,
};
