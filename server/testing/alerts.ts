import type { ChannelType } from "@/domain/channels/channel-type";
import { nsFromMs } from "@/domain/time/nanoseconds";
import { raiseAlert, type RaisedAlert, type RaiseResult } from "@/server/features/alerts/raise-service";
import type { CreatedChannel } from "@/server/features/channels/resource";
import { createChannel } from "@/server/features/channels/service";
import { systemContext } from "@/server/platform/context";
import { prisma } from "@/server/platform/db";
import { newUid } from "@/server/platform/uid";
import { unique, type TestOrganization } from "@/server/testing/factories";

/** Raises an alert as a rule does, with a new rule, device and recording unless they are given. */
export const makeAlert = (organization: { uid: string }, input: Partial<RaisedAlert> = {}): Promise<RaiseResult> =>
  raiseAlert(systemContext(prisma, organization.uid), {
    rule: { uid: newUid("rule"), name: "Motor too hot", version: 1 },
    device: { uid: newUid("device"), name: "arm-04" },
    recordingId: newUid("recording"),
    severity: "warning",
    message: "temperature 91.5 > 80",
    triggeredNs: nsFromMs(Date.now() - 60_000),
    evidence: { value: 91.5 },
    occurrenceCount: 1,
    channelIds: [],
    notify: true,
    ...input,
  });

export const makeChannel = (
  organization: TestOrganization,
  type: ChannelType,
  config: Record<string, unknown>,
): Promise<CreatedChannel> => createChannel(organization.ctx, { name: unique(type), type, config });
