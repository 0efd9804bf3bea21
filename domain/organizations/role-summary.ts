/**
 * From which role on a person does something: `viewer` is a member who can only view, and `own` means members with what
 * is theirs, admins with everything.
 */
export type RoleLevel = "viewer" | "member" | "own" | "admin" | "owner";

export interface RoleLine {
  text: string;
  from: RoleLevel;
}

/** What the roles can do, in short, by area. Every operation is in docs/roles.md. */
export const roleSummary = {
  Fleet: {
    view: { text: "See devices, recordings, events, rules and alerts", from: "viewer" },
    triage: { text: "Acknowledge, resolve, assign, snooze and comment on alerts", from: "member" },
    record: { text: "Upload, tag, archive and reprocess recordings; create events", from: "member" },
    tend: { text: "Change a device’s tags, metadata and maintenance", from: "member" },
    watch: { text: "Create rules, and silences of at most seven days", from: "member" },
    rework: { text: "Change and delete rules, silences and events", from: "own" },
    manage: {
      text: "Register and delete devices, rotate their tokens; groups and channels; delete recordings",
      from: "admin",
    },
  },
  Data: {
    view: { text: "See datasets, slices, projects and exports", from: "viewer" },
    add: { text: "Add items to datasets; create slices, exports and model runs", from: "member" },
    label: { text: "Open tasks and submit results", from: "own" },
    review: { text: "Decide results, as reviewers of their project", from: "own" },
    manage: { text: "Create, change and delete datasets and projects", from: "admin" },
  },
  "Webhooks, agents and storage": {
    view: { text: "See them, without their secrets", from: "viewer" },
    manage: { text: "Create, change, delete and test them", from: "admin" },
  },
  Organization: {
    own: { text: "Own profile, sessions and saved views; API keys of the same rights", from: "viewer" },
    manage: { text: "Members, invitations and settings; read the audit log", from: "admin" },
    give: { text: "Transfer ownership", from: "owner" },
  },
} as const satisfies Record<string, Record<string, RoleLine>>;
