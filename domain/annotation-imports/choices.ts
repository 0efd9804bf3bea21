/**
 * What becomes of the annotations: drafts of tasks that nobody has begun, results that wait for a decision, or results
 * that are accepted.
 */
export const importModes = ["drafts", "submitted", "accepted"] as const;
export type ImportMode = (typeof importModes)[number];

/** `ready`: the file was looked at, and nothing is changed until the import is started. */
export const importStatuses = [
  "uploading",
  "checking",
  "ready",
  "waiting",
  "reading",
  "done",
  "failed",
  "stopped",
] as const;
export type ImportStatus = (typeof importStatuses)[number];

/** Pictures whose size in the file is another than that of the item: left out, or their shapes are scaled. */
export const sizeChoices = ["refuse", "scale"] as const;

export const hasEnded = (status: ImportStatus): boolean =>
  status === "done" || status === "failed" || status === "stopped";

/** Bytes of a file. */
export const maxImportBytes = 4 * 1024 ** 3;
/** Labels of a file, by their names. */
export const maxImportLabels = 1_000;
/** Rows of a report. */
export const maxReportRows = 1_000;
/** Names that a check lists of each kind. */
export const maxNamed = 20;
