import type { Outputs } from "@/components/trpc/client";
import { hasEnded, type ImportMode, type ImportStatus } from "@/domain/annotation-imports/choices";
import { importFormats, type ImportFormat } from "@/domain/annotation-imports/formats";

/** An import as its dialog and the list of earlier ones show it. */
export type AnnotationImport = Outputs["imports"]["get"];
export type Findings = NonNullable<AnnotationImport["findings"]>;

/** Earlier imports that are listed. */
export const earlierInput = (project: string) => ({ uid: project, limit: 20 });

export const formatLabels: Readonly<Record<ImportFormat, string>> = {
  "avala-json-external": "Muster's own JSON",
  YOLO: "YOLO",
  COCO: "COCO",
  CVAT: "CVAT",
  LabelStudio: "Label Studio",
};

/** The formats to choose from; the first one has Muster look at the file. */
export const formatOptions = [
  { value: "guess" as const, label: "Find out from the file" },
  ...importFormats.map((value) => ({ value, label: formatLabels[value] })),
];
export type FormatChoice = (typeof formatOptions)[number]["value"];

export const modeOptions: readonly { value: ImportMode; label: string; hint: string }[] = [
  {
    value: "drafts",
    label: "Drafts",
    hint: "People go on with them: they are drawn in tasks that nobody has begun.",
  },
  { value: "submitted", label: "Submitted results", hint: "The tasks are done, and reviewers decide them." },
  { value: "accepted", label: "Accepted results", hint: "The tasks are done, and nobody decides them any more." },
];

const modes: Readonly<Record<ImportMode, string>> = {
  drafts: "as drafts",
  submitted: "as submitted results",
  accepted: "as accepted results",
};
export const describeMode = (mode: ImportMode | null): string => (mode === null ? "" : modes[mode]);

export const statusLabels: Readonly<Record<ImportStatus, string>> = {
  uploading: "Not sent",
  checking: "Being looked at",
  ready: "Not started",
  waiting: "Waits",
  reading: "Being imported",
  done: "Imported",
  failed: "Failed",
  stopped: "Stopped",
};

/** Whether the server works on it. */
export const isAtWork = (status: ImportStatus): boolean =>
  status === "checking" || status === "waiting" || status === "reading";

export { hasEnded };
