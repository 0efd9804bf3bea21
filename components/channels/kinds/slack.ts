import { toText, type ChannelView } from "./kind";

export const slack: ChannelView = {
  label: "Slack",
  arrival: "In Slack",
  readBy: "people",
  fields: [
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
  destination: ({ channel, webhook_url }) => [toText(channel), toText(webhook_url)].filter(Boolean).join(" "),
};
