import type { PlatformEventType } from "@/domain/platform-events/schema";

const dataset = {
  dataset_uid: "019a9e35-5d7e-7e0b-8a0f-6a3c2d1b4e90",
  name: "Yard crossings",
  slug: "yard-crossings",
  owner: "acme-robotics",
};
const exported = { export_uid: "019a9e36-2b41-7f3a-9c5d-8e7f6a5b4c3d", name: "Crossings" };
const format = { format: "avala-json-external" };
const exportedAt = { created_at: "2026-11-20T09:15:00.123Z" };
const task = {
  task_uid: "019a9e39-11d8-7a40-8a51-0d3f5e2b7c90",
  task_name: "crossing-1.png",
  task_type: "image-annotation",
};
const project = { project_uid: "019a9e38-90aa-7b1e-b6c4-7e2f9d1c5a33" };
const result = { result_uid: "019a9e3a-6f0c-7c55-9d2e-4b1f0f6a2c11", ...task, ...project };
const annotations = [
  { label: "car", type: "bbox", coordinates: { x: 12, y: 40, width: 96, height: 54 }, attributes: {} },
];
const submitted = {
  dataset_item_uid: "019a9e37-52b0-7d0c-9a41-66c1f0e7b8d2",
  annotation_count: 1,
  submitted_by: "ada",
};
const run = { job_uid: "019a9e3c-7a52-7b64-8d1e-2c3b4a596877" };

/** An example of the body of each event: shown where people choose events; docs/webhooks.md has the same. */
export const eventSamples = {
  "dataset.created": { event: "dataset.created", ...dataset },
  "dataset.updated": { event: "dataset.updated", ...dataset },
  "dataset.deleted": { event: "dataset.deleted", ...dataset },
  "export.completed": {
    event: "export.completed",
    ...exported,
    status: "exported",
    ...format,
    download_url: "https://muster.example.com/files/…",
    ...exportedAt,
  },
  "export.failed": {
    event: "export.failed",
    ...exported,
    status: "failed",
    ...format,
    download_url: null,
    ...exportedAt,
  },
  "task.completed": { event: "task.completed", ...task, task_status: "completed", ...project },
  "result.submitted": {
    event: "result.submitted",
    ...result,
    result_data: annotations,
    result_metadata: submitted,
  },
  "result.accepted": {
    event: "result.accepted",
    ...result,
    result_data: annotations,
    result_metadata: { ...submitted, reason: "", decided_by: "grace" },
  },
  "result.rejected": {
    event: "result.rejected",
    ...result,
    result_data: annotations,
    result_metadata: { ...submitted, reason: "The box is too large.", decided_by: "grace" },
  },
  "auto_label.completed": { event: "auto_label.completed", ...run, status: "completed" },
  "auto_label.failed": { event: "auto_label.failed", ...run, status: "failed" },
  "quality.alert": {
    event: "quality.alert",
    metric: "acceptance_rate",
    threshold: 0.95,
    current_value: 0.91,
    ...project,
  },
} as const satisfies { [Event in PlatformEventType]: { event: Event } & Record<string, unknown> };

/** The body of a test. */
export const pingSample = { event: "test.ping" } as const;
