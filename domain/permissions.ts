/** What an API key may be limited to. A key with none of these has full access to its organization. */
export const scopes = [
  "datasets.read",
  "datasets.write",
  "projects.read",
  "projects.write",
  "exports.create",
  "tasks.read",
  "storage.read",
  "storage.write",
  "work_batches.read",
  "fleet.read",
  "fleet.write",
  "webhooks.read",
  "webhooks.write",
  "agents.read",
  "agents.write",
] as const;
export type Scope = (typeof scopes)[number];

export const roles = ["owner", "admin", "member"] as const;
export type Role = (typeof roles)[number];

/**
 * A permission that an endpoint requires: a scope; `full` (an unscoped key or a session); `device` (a device
 * token, for itself); `staff` (a key or session of a staff user).
 */
export type Permission = Scope | "full" | "device" | "staff";

export interface Permissions {
  /** `all` for sessions and unscoped keys. A device token has an empty set. */
  readonly scopes: ReadonlySet<string> | "all";
  readonly role: Role | null;
  readonly staff: boolean;
  readonly device: boolean;
}

export const systemPermissions: Permissions = { scopes: "all", role: "owner", staff: false, device: false };
export const devicePermissions: Permissions = { scopes: new Set(), role: null, staff: false, device: true };

/** Whether a caller has any one of the permissions. Default-deny: an empty list allows no caller. */
export function allows(permissions: Permissions, anyOf: readonly Permission[]): boolean {
  return anyOf.some((wanted) => {
    if (wanted === "device") return permissions.device;
    if (wanted === "staff") return permissions.staff;
    if (permissions.scopes === "all") return true;
    return wanted !== "full" && permissions.scopes.has(wanted);
  });
}

const rank: Record<Role, number> = { member: 0, admin: 1, owner: 2 };

/** Whether the caller's role in the organization is at least `role`. */
export const hasRole = (permissions: Permissions, role: Role): boolean =>
  permissions.role !== null && rank[permissions.role] >= rank[role];
