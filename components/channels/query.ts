import { type AddressValues, filterInput } from "@/components/list/list-input";
import type { Inputs, Outputs } from "@/components/trpc/client";
import type { ChannelType } from "@/domain/channels/channel-type";

export type Channel = Outputs["channels"]["overview"]["results"][number];
export type Delivery = Outputs["channels"]["deliveries"]["results"][number];
export type TestResult = Outputs["channels"]["test"];

export const typeWords: Readonly<Record<ChannelType, string>> = {
  slack: "Slack",
  email: "E-mail",
  webhook: "Webhook",
  pagerduty: "PagerDuty",
  teams: "Microsoft Teams",
};

const first = (value: unknown): string => (typeof value === "string" ? value : "");

/** Where a channel's messages go, as far as it may be shown. */
export function destination({ type, config }: Pick<Channel, "type" | "config">): string {
  switch (type) {
    case "email": {
      const recipients = Array.isArray(config.recipients) ? config.recipients.map(String) : [];
      return recipients.length > 2
        ? `${recipients.slice(0, 2).join(", ")} and ${recipients.length - 2} more`
        : recipients.join(", ");
    }
    case "slack":
      return [first(config.channel), first(config.webhook_url)].filter(Boolean).join(" ");
    case "webhook":
      return first(config.url);
    case "pagerduty":
      return `Routing key ${first(config.routing_key)}`;
    case "teams":
      return first(config.webhook_url);
  }
}

/** The list's query for what stands in the address. */
export const listInput = (values: AddressValues): Inputs["channels"]["overview"] => ({
  ...filterInput(["type"], values),
  limit: 50,
});
