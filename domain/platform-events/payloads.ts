import { z } from "zod";
import { exportFormats, exportStatuses } from "@/domain/exports/schema";
import { runStatuses } from "@/domain/models/schema";
import { agentEventTypes, type PlatformEvents, type PlatformEventType } from "@/domain/platform-events/schema";
import { taskStatuses } from "@/domain/tasks/schema";

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
const result = { result_uid: z.string(), ...task, project_uid: z.string() };
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
  z.discriminatedUnion("event", [
    ...agentEventTypes.map((event) => eventPayloads[event]),
    PingPayload,
  ] as unknown as readonly [typeof PingPayload]),
  z.object({ execution_uid: z.string() }),
);
