import type { PlatformEventType } from "@/domain/platform-events/schema";

/** The events as people choose them, in groups. */
export const eventGroups: readonly { label: string; events: readonly PlatformEventType[] }[] = [
  { label: "Datasets", events: ["dataset.created", "dataset.updated", "dataset.deleted"] },
  { label: "Exports", events: ["export.completed", "export.failed"] },
  {
    label: "Tasks and results",
    events: ["task.completed", "result.submitted", "result.accepted", "result.rejected"],
  },
  { label: "Models", events: ["auto_label.completed", "auto_label.failed"] },
  { label: "Quality", events: ["quality.alert"] },
];

/** When each event is sent, as a short phrase. */
export const eventTexts: Readonly<Record<PlatformEventType, string>> = {
  "dataset.created": "A dataset was created",
  "dataset.updated": "A dataset's data or settings changed",
  "dataset.deleted": "A dataset was deleted",
  "export.completed": "An export can be downloaded",
  "export.failed": "An export failed",
  "task.completed": "A result completed a task",
  "result.submitted": "Annotations were submitted",
  "result.accepted": "A result was accepted",
  "result.rejected": "A result was rejected",
  "auto_label.completed": "A model run finished",
  "auto_label.failed": "A model run failed",
  "quality.alert": "A project's share of accepted results fell below its target",
};
