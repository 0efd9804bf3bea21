import { toText, type ChannelView } from "./kind";

export const pagerduty: ChannelView = {
  label: "PagerDuty",
  arrival: "In PagerDuty",
  readBy: "people",
  fields: [
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
  destination: ({ routing_key }) => `Routing key ${toText(routing_key)}`,
};
