import { LRUCache } from "lru-cache";
import { roles } from "@/domain/permissions";
import { pool } from "@/server/platform/db";
import { logFor } from "@/server/platform/log";
import { processWide } from "@/server/platform/process-wide";
import { bool, oneOf, queryRows, text, type Wire } from "@/server/platform/rows";

const log = logFor("auth");

const sessionStatement = `
  select m.uid as membership_id, u.uid as user_id, u.username, u.email, u.is_staff, o.uid as organization_id, o.slug, o.name, m.role, m.read_only
  from users u
  join memberships m on m.user_id = u.uid
  join organizations o on o.uid = m.organization_id
  where u.uid = $1 and u.session_version = $2
  order by (o.slug = $3) desc, m.uid
  limit 1`;

const sessionRow = {
  membership_id: text,
  user_id: text,
  username: text,
  email: text,
  is_staff: bool,
  organization_id: text,
  slug: text,
  name: text,
  role: oneOf(roles),
  read_only: bool,
};

/** Finds the user of a session version, in the organization with that slug or else their first; undefined for none. */
export async function findSession(
  userId: string,
  version: number,
  organizationSlug: string,
): Promise<Wire<typeof sessionRow> | undefined> {
  const values = [userId, version, organizationSlug];
  return (await queryRows(pool, sessionRow, { name: "session", text: sessionStatement }, values))[0];
}

const recentlyActive = processWide(
  "membershipActivity",
  () => new LRUCache<string, true>({ max: 10_000, ttl: 60_000 }),
);
/** Records a member's activity at most once a minute. Does not delay the request. */
export function noteMemberActivity(membershipId: string): void {
  if (recentlyActive.has(membershipId)) return;
  recentlyActive.set(membershipId, true);
  pool
    .query(
      `update memberships set last_active_at = now()
       where uid = $1 and (last_active_at is null or last_active_at < now() - interval '1 minute')`,
      [membershipId],
    )
    .catch((error: unknown) => log.warn({ err: error }, "could not record a member's activity"));
}
