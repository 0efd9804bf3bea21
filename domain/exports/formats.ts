/** Training sets for YOLO, by the task that they are for. */
const yoloFormats = ["YOLO", "YOLO-segment", "YOLO-pose", "YOLO-OBB"] as const;
export type YoloFormat = (typeof yoloFormats)[number];

export const exportFormats = [
  "avala-json-external",
  ...yoloFormats,
  "COCO",
  "COCO-panoptic",
  "CVAT",
  "LabelStudio",
] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Whether a file of the format is divided into parts. */
export const hasParts = (format: ExportFormat): format is YoloFormat => yoloFormats.some((each) => each === format);

/** Whether trainers read a picture without objects in the format as the word that nothing is there. */
export const hasBackgrounds = (format: ExportFormat): boolean => hasParts(format) || format === "COCO";
