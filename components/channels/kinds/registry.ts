import type { ChannelType } from "@/domain/channels/channel-type";
import { email } from "./email";
import type { ChannelView } from "./kind";
import { pagerduty } from "./pagerduty";
import { slack } from "./slack";
import { teams } from "./teams";
import { webhook } from "./webhook";

export const channelViews: Readonly<Record<ChannelType, ChannelView>> = { slack, email, webhook, pagerduty, teams };
