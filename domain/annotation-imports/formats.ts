/** The formats that annotations are imported from. YOLO is all of its tasks: a file tells which by its columns. */
export const importFormats = ["avala-json-external", "YOLO", "COCO", "CVAT", "LabelStudio"] as const;
export type ImportFormat = (typeof importFormats)[number];
