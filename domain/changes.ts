/** The kinds of objects whose changes open pages are notified of. */
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
  | "api_key"
  | "storage_config"
  | "robot_description"
  | "metric_meaning"
  | "dataset"
  | "task"
  | "slice"
  | "project"
  | "bulk_edit"
  | "import"
  | "webhook"
  | "export"
  | "agent"
  | "model"
  | "run"
  | "mcp_call";

/** Something of this kind changed. Pages fetch it again; the notification carries no content. */
export interface Change {
  organizationId: string;
  kind: ChangeKind;
  /** Empty when several of the kind changed together. */
  uid: string;
  action: "created" | "updated" | "deleted";
  /** Who alone is notified; without it, everybody who sees the object. */
  audience?: "admins" | { user: string } | undefined;
}
