import type { Role } from "@/domain/permissions";
import { pool } from "@/server/platform/db";
import { logFor } from "@/server/platform/log";
import { processWide } from "@/server/platform/process-wide";

const log = logFor("auth");

const sessionStatement = `
  select m.uid as membership_id, u.uid as user_id, u.username, u.email, u.is_staff, o.uid as organization_id, o.slug, o.name, m.role
  from users u
  join memberships m on m.user_id = u.uid
  join organizations o on o.uid = m.organization_id
  where u.uid = $1 and u.session_version = $2
  order by (o.slug = $3) desc, m.uid
  limit 1`;

interface SessionRow {
  membership_id: string;
  user_id: string;
  username: string;
  email: string;
  is_staff: boolean;
  organization_id: string;
  slug: string;
  name: string;
  role: Role;
}

/** A person of that session version, in the organization of that slug or else in their first; undefined for none. */
export async function findSession(
  userId: string,
  version: number,
  organizationSlug: string,
): Promise<SessionRow | undefined> {
  const values = [userId, version, organizationSlug];
  const { rows } = await pool.query<SessionRow>({ name: "session", text: sessionStatement, values });
  return rows[0];
}

const lastNoted = processWide("membershipActivity", () => new Map<string, number>());
/** Remembers, at most once a minute, that a member was here. Never delays the request. */
export function noteMemberActivity(membershipId: string): void {
  const now = Date.now();
  if (now - (lastNoted.get(membershipId) ?? 0) < 60_000) return;
  if (lastNoted.size > 10_000) lastNoted.clear();
  lastNoted.set(membershipId, now);
  pool
    .query(
      `update memberships set last_active_at = now()
       where uid = $1 and (last_active_at is null or last_active_at < now() - interval '1 minute')`,
      [membershipId],
    )
    .catch((error: unknown) => log.warn({ err: error }, "could not note a member's activity"));
}
