import { AgentEvent, eventPayloads, PingPayload } from "@/domain/platform-events/payloads";
import type { PlatformEventType } from "@/domain/platform-events/schema";
import { Message } from "@/server/features/channels/message";
import type { Callback } from "@/server/transport/rest/openapi";

const when: Record<PlatformEventType, string> = {
  "dataset.created": "A dataset was created.",
  "dataset.updated": "A dataset's name or visibility changed.",
  "dataset.deleted": "A dataset was deleted.",
  "export.completed": "An export is finished; `download_url` is valid for 7 days.",
  "export.failed": "An export failed.",
  "task.completed": "The result of a task was submitted.",
  "result.submitted": "A result was submitted.",
  "result.accepted": "A result was accepted.",
  "result.rejected": "A result was rejected.",
  "auto_label.completed": "A model run is finished.",
  "auto_label.failed": "A model run failed.",
  "quality.alert":
    "A decision took a project's acceptance rate from its target or above it to below. Not sent while it stays below.",
};

const events: readonly Callback[] = Object.entries(eventPayloads).map(([name, body]) => ({
  name,
  tag: "webhooks",
  summary: `Receive ${name}`,
  description: when[name as PlatformEventType],
  body,
}));

/** Every request that Muster sends to an address of an organization; the document says once how all are signed. */
export const callbacks: readonly Callback[] = [
  ...events,
  {
    name: "test.ping",
    tag: "webhooks",
    summary: "Receive a test ping",
    description: "A person tests a subscription.",
    body: PingPayload,
  },
  {
    name: "agent.event",
    tag: "agents",
    summary: "Receive an event as an agent",
    description:
      "Sent to the `callback_url` of an agent. A response with an `action` (approve, reject, flag or skip) and an " +
      "optional `reason` and `metadata` completes the execution.",
    body: AgentEvent,
  },
  {
    name: "channel.alert",
    tag: "channels",
    summary: "Receive an alert",
    description: "Sent to channels of the type webhook when an alert is triggered, acknowledged or resolved.",
    body: Message,
  },
];
