/** The platform events that webhooks and agents can subscribe to. */
export interface PlatformEvents {
  "dataset.created": { dataset_uid: string; name: string; slug: string; owner: string };
  "dataset.updated": { dataset_uid: string; name: string; slug: string; owner: string };
  "dataset.deleted": { dataset_uid: string; name: string; slug: string; owner: string };
  "export.completed": ExportEvent;
  "export.failed": ExportEvent;
  "task.completed": {
    task_uid: string;
    task_name: string;
    task_type: string;
    task_status: string;
    project_uid: string;
  };
  "result.submitted": ResultEvent;
  "result.accepted": ResultEvent;
  "result.rejected": ResultEvent;
  "auto_label.completed": { job_uid: string; status: string };
  "auto_label.failed": { job_uid: string; status: string };
  "quality.alert": { metric: string; threshold: number; current_value: number; project_uid: string };
}
interface ExportEvent {
  export_uid: string;
  name: string;
  status: string;
  format: string;
  download_url: string | null;
  created_at: string;
}
interface ResultEvent {
  result_uid: string;
  task_uid: string;
  task_name: string;
  task_type: string;
  project_uid: string;
}

export type PlatformEventType = keyof PlatformEvents;

/** Agents may subscribe to these. */
export const agentEventTypes = [
  "dataset.created",
  "dataset.updated",
  "dataset.deleted",
  "export.completed",
  "export.failed",
  "task.completed",
  "result.submitted",
  "result.accepted",
  "result.rejected",
] as const satisfies readonly PlatformEventType[];

/** Webhooks may subscribe to all of them. */
export const platformEventTypes = [
  ...agentEventTypes,
  "auto_label.completed",
  "auto_label.failed",
  "quality.alert",
] as const satisfies readonly PlatformEventType[];
