import { hasRole, mayChange, systemPermissions, type Permissions, type Role } from "@/domain/permissions";
import type { Db } from "@/server/platform/db";
import { ServiceError } from "@/server/platform/errors";

export const actorTypes = ["user", "api_key", "device", "agent", "system"] as const;

/** Who acts. `name` is what an audit entry or "acknowledged by" shows: a username, a key's name, a device's name. */
export interface Actor {
  readonly type: (typeof actorTypes)[number];
  readonly id: string;
  readonly name: string;
  /** The person behind a session or key; null for devices, agents and the system. */
  readonly userId: string | null;
  readonly username: string | null;
}

/** The first argument of every service function: organization, actor, permissions, connection and origin of a call. */
export interface Ctx {
  readonly organizationId: string;
  readonly actor: Actor;
  readonly permissions: Permissions;
  readonly db: Db;
  readonly ip: string | null;
  readonly requestId: string | null;
}

/** A signed-in person, in an organization or in none. */
export type PersonCtx = Pick<Ctx, "actor" | "db" | "ip" | "requestId">;

/** A caller without an account yet (sign-up, reading an invitation). */
export type AnonymousCtx = Pick<Ctx, "db" | "ip" | "requestId">;

/** The context in which the platform itself acts in one organization: jobs, sweeps, the command line. */
export function systemContext(db: Db, organizationId: string, name = "muster"): Ctx {
  const actor: Actor = { type: "system", id: "system", name, userId: null, username: null };
  return { organizationId, actor, permissions: systemPermissions, db, ip: null, requestId: null };
}

/** Throws `forbidden` (403) when the caller's role in the organization is below `role`. */
export function requireRole(ctx: Ctx, role: Role): void {
  if (!hasRole(ctx.permissions, role)) throw new ServiceError("forbidden");
}

/**
 * Refuses (403) to change what another person made, but for admins: `createdById` is its maker's user id, null for
 * what a device, an agent or Muster itself made.
 */
export function requireAuthor(ctx: Ctx, createdById: string | null): void {
  if (!mayChange(ctx.permissions, ctx.actor.userId, createdById)) throw new ServiceError("forbidden");
}
