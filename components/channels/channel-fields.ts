import type { ChannelType } from "@/domain/channels/channel-type";

/** One box of a channel's form. */
export interface ChannelField {
  /** The configuration's own name for it. */
  name: string;
  label: string;
  hint?: string;
  placeholder?: string;
  optional?: boolean;
  /** Written, never shown again. */
  secret?: boolean;
  /** Several addresses. */
  list?: boolean;
}

/** What each kind of channel asks for. */
export const channelFields: Readonly<Record<ChannelType, readonly ChannelField[]>> = {
  slack: [
    {
      name: "webhook_url",
      label: "Incoming webhook address",
      hint: "Slack shows it under Apps, Incoming Webhooks.",
      placeholder: "https://hooks.slack.com/services/…",
      secret: true,
    },
    { name: "channel", label: "Channel", placeholder: "#robots", optional: true },
    { name: "username", label: "Shown as", placeholder: "Muster", optional: true },
  ],
  email: [
    { name: "recipients", label: "Recipients", hint: "Enter or paste several.", list: true },
    { name: "subject_prefix", label: "Subject begins with", placeholder: "[Robots]", optional: true },
  ],
  webhook: [
    { name: "url", label: "Address", placeholder: "https://example.com/alerts" },
    {
      name: "signing_secret",
      label: "Signing secret",
      hint: "Every message is signed with it. Left empty, one is made and shown once.",
      optional: true,
      secret: true,
    },
  ],
  pagerduty: [
    {
      name: "routing_key",
      label: "Integration key",
      hint: "PagerDuty shows it under Services, Integrations, Events API v2.",
      secret: true,
    },
    {
      name: "url",
      label: "Address",
      hint: "Only for accounts in Europe, or a service of your own.",
      placeholder: "https://events.eu.pagerduty.com/v2/enqueue",
      optional: true,
    },
  ],
  teams: [
    {
      name: "webhook_url",
      label: "Workflow address",
      hint: "Teams shows it under Workflows, When a webhook request is received.",
      secret: true,
    },
  ],
};
