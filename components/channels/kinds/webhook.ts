import { toText, type ChannelView } from "./kind";

export const webhook: ChannelView = {
  label: "Webhook",
  arrival: "As a webhook",
  readBy: "programs",
  fields: [
    { name: "url", label: "Address", placeholder: "https://example.com/alerts" },
    {
      name: "signing_secret",
      label: "Signing secret",
      hint: "Every message is signed with it. If left empty, one is generated and shown once.",
      optional: true,
      secret: true,
    },
  ],
  destination: ({ url }) => toText(url),
};
