import type { ChannelView } from "./kind";

export const email: ChannelView = {
  label: "E-mail",
  arrival: "By e-mail",
  readBy: "people",
  fields: [
    { name: "recipients", label: "Recipients", hint: "Enter or paste several.", list: true },
    { name: "subject_prefix", label: "Subject begins with", placeholder: "[Robots]", optional: true },
  ],
  destination: ({ recipients }) => {
    const addresses = Array.isArray(recipients) ? recipients.map(String) : [];
    return addresses.length > 2
      ? `${addresses.slice(0, 2).join(", ")} and ${addresses.length - 2} more`
      : addresses.join(", ");
  },
};
