import type { z } from "zod";
import type { ChannelType } from "@/domain/channels/channel-type";
import { email } from "@/domain/channels/email";
import type { ChannelKind } from "@/domain/channels/kind";
import { pagerduty } from "@/domain/channels/pagerduty";
import { slack } from "@/domain/channels/slack";
import { teams } from "@/domain/channels/teams";
import { webhook } from "@/domain/channels/webhook";

/** What each type of channel is made of. */
export const channelKinds = { slack, email, webhook, pagerduty, teams } satisfies Record<ChannelType, ChannelKind>;

/** The complete configuration with secrets in plain text; must stay in memory. */
export type ChannelConfig<T extends ChannelType> = z.output<(typeof channelKinds)[T]["config"]>;
