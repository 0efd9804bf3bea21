import { hasRole, systemPermissions, type Permissions, type Role } from "@/domain/permissions";
import type { Db } from "@/server/platform/db";
import { ServiceError } from "@/server/platform/errors";

/** Who acts. `name` is what an audit entry or "acknowledged by" shows: a username, a key's name, a device's name. */
export interface Actor {
  readonly type: "user" | "api_key" | "device" | "agent" | "system";
  readonly id: string;
  readonly name: string;
  /** The person behind a session or key; null for devices, agents and the system. */
  readonly userId: string | null;
  readonly username: string | null;
}

/** The first argument of every verb: in which organization, who, allowed what, on which connection, from where. */
export interface Ctx {
  readonly organizationId: string;
  readonly actor: Actor;
  readonly permissions: Permissions;
  readonly db: Db;
  readonly ip: string | null;
  readonly requestId: string | null;
}

/** A caller without an account yet (sign-up, reading an invitation). */
export type AnonymousCtx = Pick<Ctx, "db" | "ip" | "requestId">;

/** The platform itself, in one organization: jobs, sweeps, the command line. */
export function systemContext(db: Db, organizationId: string, name = "muster"): Ctx {
  const actor: Actor = { type: "system", id: "system", name, userId: null, username: null };
  return { organizationId, actor, permissions: systemPermissions, db, ip: null, requestId: null };
}

/** Refuses (403) a caller whose role in the organization is below `role`. */
export function requireRole(ctx: Ctx, role: Role): void {
  if (!hasRole(ctx.permissions, role)) throw new ServiceError("forbidden");
}
