/** The kinds of things that open pages show and are told of when they change. */
export type ChangeKind =
  | "device"
  | "group"
  | "recording"
  | "event"
  | "rule"
  | "alert"
  | "channel"
  | "silence"
  | "member"
  | "api_key";

/** Something of this kind changed. Pages fetch it again; no content travels here. */
export interface Change {
  organizationId: string;
  kind: ChangeKind;
  uid: string;
  action: "created" | "updated" | "deleted";
}
