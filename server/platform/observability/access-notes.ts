import type { Actor, Ctx } from "@/server/platform/context";
import { noteAccess } from "@/server/platform/observability/access-log";

interface Origin {
  ip: string | null;
  requestId: string | null;
}

/** A refused access: one entry for caller, operation and ten minutes. `path` is that of the first. */
export function noteRefusal(
  { organizationId, actor, ip, requestId }: Pick<Ctx, "organizationId" | "actor"> & Origin,
  operation: string,
  path: string,
): void {
  const target = { type: "operation", id: operation, name: path };
  const { type, id, name } = actor;
  const caller = { where: { organizationId }, actor: { type, id, name }, ip, requestId };
  noteAccess({ ...caller, action: "access.refused", target, minutes: 10 });
}

/**
 * A change that another site's page requested with a person's cookie: one entry for person, entry and ten minutes, in
 * every organization of the person. `path` is that of the first.
 */
export function noteForeignRequest(userId: string, ip: string | null, entry: string, path: string): void {
  const target = { type: "entry", id: entry, name: path };
  noteAccess({ where: { userId }, actor: null, action: "access.refused", target, ip, requestId: null, minutes: 10 });
}

/**
 * A session that was used after its end, also by somebody who copied its cookie: one entry for session and ten minutes,
 * in every organization of the person.
 */
export function noteEndedSession(userId: string, session: string, ip: string | null): void {
  const target = { type: "session", id: session, name: "a session that has ended" };
  noteAccess({ where: { userId }, actor: null, action: "access.refused", target, ip, requestId: null, minutes: 10 });
}

/** A download: one entry for person, file and hour. */
export function noteDownload(
  organizationId: string,
  actor: Pick<Actor, "type" | "id"> & { name?: string },
  target: { type: string; id: string; name: string },
  { ip, requestId }: Origin,
): void {
  noteAccess({ where: { organizationId }, actor, action: "file.downloaded", target, ip, requestId, minutes: 60 });
}

/** What a person did by signing in or out. One entry each, in every organization of theirs. */
const noteByPerson = (action: string) => (userId: string, ip: string | null) =>
  noteAccess({ where: { userId }, actor: null, action, target: null, ip, requestId: null, minutes: 0 });

export const noteSignIn = noteByPerson("user.signed_in");
export const noteSignOut = noteByPerson("user.signed_out");
/** Signing in with a recovery code in place of the authenticator app. */
export const noteRecoveryCode = noteByPerson("user.recovery_code_used");

const byNobody = (ip: string | null) => ({ type: "anonymous", id: ip ?? "unknown", name: ip ?? "unknown" }) as const;

/** A wrong code after the right password: one entry for account, address and ten minutes. */
export function noteFailedSecondFactor(userId: string, ip: string | null): void {
  const failed = { action: "user.second_factor_failed", target: null, ip, requestId: null, minutes: 10 };
  noteAccess({ where: { userId }, actor: byNobody(ip), ...failed });
}

/** A failed sign-in: one entry for account, address and ten minutes. An address that has no account is in none. */
export function noteFailedSignIn(email: string, ip: string | null): void {
  const failed = { actor: byNobody(ip), action: "user.sign_in_failed", target: null, ip, requestId: null, minutes: 10 };
  noteAccess({ where: { email: email.trim().toLowerCase().slice(0, 254) }, ...failed });
}
