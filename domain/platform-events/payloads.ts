import { z } from "zod";
import { exportFormats } from "@/domain/exports/formats";
import { exportStatuses } from "@/domain/exports/schema";
import { runStatuses } from "@/domain/models/schema";
import { agentEventTypes, type PlatformEvents, type PlatformEventType } from "@/domain/platform-events/schema";
import { StoredAnnotation, taskStatuses } from "@/domain/tasks/schema";

const dataset = { dataset_uid: z.string(), name: z.string(), slug: z.string(), owner: z.string() };
const exported = {
  export_uid: z.string(),
  name: z.string(),
  status: z.enum(exportStatuses),
  format: z.enum(exportFormats),
  download_url: z.string().nullable(),
  created_at: z.string(),
};
const task = { task_uid: z.string(), task_name: z.string(), task_type: z.string() };
export const ResultMetadata = z
  .object({
    dataset_item_uid: z.string(),
    annotation_count: z.int(),
    submitted_by: z.string(),
    reason: z.string().describe("Why it was accepted or rejected."),
    decided_by: z.string().nullable(),
  })
  .partial();

/** What an event says about its result beyond uids and names; nothing once the result was deleted. */
const resultEventData = z.object({
  result_data: z
    .array(StoredAnnotation)
    .nullable()
    .describe("The annotations; null above 1 MiB of JSON, and once the result was deleted."),
  result_metadata: ResultMetadata.describe("About the result; `reason` and `decided_by` once it was decided."),
});
export type ResultEventData = z.output<typeof resultEventData>;

const result = { result_uid: z.string(), ...task, project_uid: z.string(), ...resultEventData.shape };
const autoLabel = { job_uid: z.string(), status: z.enum(runStatuses) };

const payload = <const Event extends string, Shape extends z.ZodRawShape>(event: Event, shape: Shape) =>
  z.object({ event: z.literal(event), ...shape });

type Payloads = { [Event in PlatformEventType]: z.ZodType<PlatformEvents[Event] & { event: Event }> };

/** The bodies that webhooks and agents receive, by event. */
export const eventPayloads = {
  "dataset.created": payload("dataset.created", dataset),
  "dataset.updated": payload("dataset.updated", dataset),
  "dataset.deleted": payload("dataset.deleted", dataset),
  "export.completed": payload("export.completed", exported),
  "export.failed": payload("export.failed", exported),
  "task.completed": payload("task.completed", { ...task, task_status: z.enum(taskStatuses), project_uid: z.string() }),
  "result.submitted": payload("result.submitted", result),
  "result.accepted": payload("result.accepted", result),
  "result.rejected": payload("result.rejected", result),
  "auto_label.completed": payload("auto_label.completed", autoLabel),
  "auto_label.failed": payload("auto_label.failed", autoLabel),
  "quality.alert": payload("quality.alert", {
    metric: z.string(),
    threshold: z.number(),
    current_value: z.number(),
    project_uid: z.string(),
  }),
} satisfies Payloads;

export const PingPayload = payload("test.ping", {});

/** What an agent receives: the event, and the execution that its action is about. */
export const AgentEvent = z.intersection(
  // A list of schemas has no type that names each, so it is typed by one of them; all have the same members.
  z.discriminatedUnion("event", [
    ...agentEventTypes.map((event) => eventPayloads[event]),
    PingPayload,
  ] as unknown as readonly [typeof PingPayload]),
  z.object({ execution_uid: z.string() }),
);
