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

/** Whether a key with these scopes can only read. A key without scopes has full access. */
export const canOnlyRead = (limits: readonly string[]): boolean =>
  limits.length > 0 && limits.every((scope) => scope.endsWith(".read"));

export const roles = ["owner", "admin", "member"] as const;
export type Role = (typeof roles)[number];

/**
 * A permission that an endpoint requires: a scope; `full` (an unscoped key or a session); `device` (a device
 * token, for itself); `staff` (a key or session of a staff user).
 */
type Permission = Scope | "full" | "device" | "staff";

export interface Permissions {
  /** `all` for sessions and unscoped keys. A device token has an empty set. */
  readonly scopes: ReadonlySet<string> | "all";
  /** Null for devices, which have none. */
  readonly role: Role | null;
  /** A member who may look but not change anything. */
  readonly readOnly: boolean;
  readonly staff: boolean;
  readonly device: boolean;
}

export const systemPermissions: Permissions = {
  scopes: "all",
  role: "owner",
  readOnly: false,
  staff: false,
  device: false,
};
export const devicePermissions: Permissions = {
  scopes: new Set(),
  role: null,
  readOnly: false,
  staff: false,
  device: true,
};

/** Whether only device tokens may call an operation. */
export const isForDevices = ({ permission }: Pick<Access, "permission">): boolean =>
  permission.every((each) => each === "device");

/** Whether a caller has any one of the permissions. Default-deny: an empty list allows no caller. */
function allows(permissions: Permissions, anyOf: readonly Permission[]): boolean {
  return anyOf.some((wanted) => {
    if (wanted === "device") return permissions.device;
    if (wanted === "staff") return permissions.staff;
    if (permissions.scopes === "all") return true;
    return wanted !== "full" && permissions.scopes.has(wanted);
  });
}

const rank: Record<Role, number> = { member: 0, admin: 1, owner: 2 };

/**
 * What an operation changes: data of the organization, only what is the caller's own (their profile, sessions, private
 * views, other memberships), or nothing. Read-only members may call those of the last two kinds.
 */
export type Changes = "organization" | "own" | "nothing";

/** Who may call an operation of the REST API or of the dashboard. */
export interface Access {
  /** Any one of these is enough. */
  permission: readonly Permission[];
  /** Scopes that are needed as well, of areas that the operation reads through another. */
  scopesToo?: readonly Scope[] | undefined;
  /** The least role of a person. A device is let in by the permission `device` alone. */
  role: Role;
  changes: Changes;
}

/** Whether a caller may call an operation at all; its service may refuse single objects and fields. */
export function mayCall(permissions: Permissions, access: Access): boolean {
  if (!allows(permissions, access.permission)) return false;
  if (!(access.scopesToo ?? []).every((scope) => allows(permissions, [scope]))) return false;
  if (permissions.device) return true;
  return hasRole(permissions, access.role) && !(permissions.readOnly && access.changes === "organization");
}

/** Whether the caller's role in the organization is at least `role`. */
export const hasRole = (permissions: Pick<Permissions, "role">, role: Role): boolean =>
  permissions.role !== null && rank[permissions.role] >= rank[role];

/**
 * Whether a person may change what `createdById` made: its author and admins may. Nobody is the author of what a
 * device, an agent or Muster itself made.
 */
export const mayChange = (
  permissions: Pick<Permissions, "role">,
  userId: string | null,
  createdById: string | null,
): boolean => (createdById !== null && createdById === userId) || hasRole(permissions, "admin");

/** The person who looks at a screen. */
export interface Person {
  userUid: string;
  username: string;
  role: Role;
  readOnly: boolean;
}

/** What a verb needs: by default that the person may change anything; `author` is who made its object. */
export interface Need {
  role?: Role;
  author?: string | null;
}

/** Why a person may not do something, for the control that they cannot use; undefined when they may. */
export function explainRefusal(person: Person, { role = "member", author }: Need): string | undefined {
  if (person.readOnly) return "You can only view.";
  if (!hasRole(person, role)) return role === "owner" ? "Only the owner can do this." : "Only admins can do this.";
  if (author === undefined || mayChange(person, person.userUid, author)) return undefined;
  return author === null ? "Only admins can do this." : "Only its author and admins can do this.";
}
