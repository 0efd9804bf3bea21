import type { UidKind } from "@/domain/uid";

const byKind: Record<UidKind, readonly string[]> = {
  device: ["Device", "RegisteredDevice", "HeartbeatResponse"],
  recording: ["Recording", "RecordingDetail"],
  event: ["Event"],
  rule: ["Rule", "RuleDetail"],
  alert: ["Alert", "AlertDetail", "Acknowledgement"],
  channel: ["Channel", "CreatedChannel"],
  group: ["Group", "GroupDetail"],
  silence: ["Silence"],
};

/** The kind of `uid` that the named resources of the fleet have; those of all others are bare UUIDs. */
export const identifierKinds: ReadonlyMap<string, UidKind> = new Map(
  Object.entries(byKind).flatMap(([kind, names]) => names.map((name) => [name, kind as UidKind] as const)),
);
