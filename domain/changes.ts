/** What open pages hear of: kinds of things that are created, updated and deleted. */
export const changeKinds = [
  "device",
  "group",
  "recording",
  "event",
  "rule",
  "alert",
  "channel",
  "silence",
  "member",
  "api_key",
  "audit",
  "webhook",
  "dataset",
  "project",
  "agent",
  "export",
  "run",
] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** Something of this kind changed. Pages fetch it again; no content travels here. */
export interface Change {
  organizationId: string;
  kind: ChangeKind;
  uid: string;
  action: "created" | "updated" | "deleted";
}
