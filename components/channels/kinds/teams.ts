import { toText, type ChannelView } from "./kind";

export const teams: ChannelView = {
  label: "Microsoft Teams",
  arrival: "In Teams",
  readBy: "people",
  fields: [
    {
      name: "webhook_url",
      label: "Workflow address",
      hint: "Teams shows it under Workflows, When a webhook request is received.",
      secret: true,
    },
  ],
  destination: ({ webhook_url }) => toText(webhook_url),
};
