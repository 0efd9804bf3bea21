import { LRUCache } from "lru-cache";
import { roles } from "@/domain/permissions";
import { confirmedFactor } from "@/server/platform/auth/second-factor";
import { sessionDays, validSession } from "@/server/platform/auth/session-life";
import { databaseMs } from "@/server/platform/clock";
import { pool } from "@/server/platform/db";
import { logFor } from "@/server/platform/log";
import { processWide } from "@/server/platform/process-wide";
import { warnRepeated } from "@/server/platform/repeated-warnings";
import { bool, nullable, oneOf, queryRows, text, type Wire } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

const log = logFor("auth");

const sessionStatement = `
  select s.uid, u.uid as user_id, u.username, u.email, u.is_staff, m.membership_id, m.organization_id, m.slug, m.name,
    m.role, m.read_only, (m.settings @> '{"require_second_factor": true}' and not s.second_factor and not exists (
      select from second_factors f where f.user_id = u.uid and ${confirmedFactor})) as lacks_second_factor
  from sessions s
  join users u on u.uid = s.user_id
  left join lateral (
    select m.uid as membership_id, o.uid as organization_id, o.slug, o.name, o.settings, m.role, m.read_only
    from memberships m join organizations o on o.uid = m.organization_id
    where m.user_id = u.uid and o.deletes_at is null
    order by (o.slug = $3) desc, m.uid
    limit 1) m on true
  where s.uid = $1 and s.user_id = $2 and u.disabled_at is null and ${validSession}`;

const sessionRow = {
  uid: text,
  user_id: text,
  username: text,
  email: text,
  is_staff: bool,
  membership_id: nullable(text),
  organization_id: nullable(text),
  slug: nullable(text),
  name: nullable(text),
  role: nullable(oneOf(roles)),
  read_only: nullable(bool),
  lacks_second_factor: nullable(bool),
};

/** Text of a header as a row can hold it: without NUL and at most 512 characters. */
const storable = (header: string | null): string => (header ?? "").replaceAll("\0", "").slice(0, 512);

/**
 * Finds a valid session, in the organization with that slug or else its user's first; undefined for none. The members
 * of the organization are null for a user of none but those that are being deleted.
 */
export async function findSession(
  uid: string,
  userId: string,
  organizationSlug: string,
): Promise<Wire<typeof sessionRow> | undefined> {
  const values = [uid, userId, storable(organizationSlug)];
  return (await queryRows(pool, sessionRow, { name: "session", text: sessionStatement }, values))[0];
}

/** The browser that a session belongs to. */
export interface Browser {
  userAgent: string | null;
  ip: string | null;
}

// The lock waits for a concurrent change of the password, whose version is then another one.
const startStatement = `
  insert into sessions (uid, user_id, user_agent, ip, created_at, expires_at, second_factor)
  select $1, u.uid, $4, $5, to_timestamp($6), to_timestamp($6) + interval '${sessionDays} days', $7
  from users u where u.uid = $2 and u.session_version = $3 and u.disabled_at is null
  for share
  on conflict do nothing`;

/**
 * Starts a session of a user whose password was checked at `sessionVersion`, with or without a second factor. Null when
 * sessions were ended since.
 */
export async function startSession(
  user: { uid: string; sessionVersion: number },
  { userAgent, ip }: Browser,
  withSecondFactor = false,
): Promise<string | null> {
  const uid = uuidv7();
  const values = [uid, user.uid, user.sessionVersion, storable(userAgent), ip, databaseMs() / 1_000, withSecondFactor];
  const { rowCount } = await pool.query({ name: "session-start", text: startStatement, values });
  return rowCount === 1 ? uid : null;
}

/** A session token made before sessions had rows: identified by its `jti`, valid for one version of the account. */
export interface TokenWithoutRow {
  sub: string;
  version: number;
  jti: string;
  iat: number;
}

/** Gives such a token its row, at its first use only, so that the session can be listed and ended like any other. */
export async function adoptToken({ sub, version, jti, iat }: TokenWithoutRow, browser: Browser): Promise<void> {
  const values = [jti, sub, version, storable(browser.userAgent), browser.ip, iat, false];
  await pool.query({ name: "session-start", text: startStatement, values });
}

const accountRow = { uid: text, username: text, email: text };

/** The account of a sign-in that awaits its second factor; null when it was disabled or deleted meanwhile. */
export async function findAccount(userId: string): Promise<Wire<typeof accountRow> | null> {
  const statement = "select uid, username, email from users where uid = $1 and disabled_at is null";
  return (await queryRows(pool, accountRow, statement, [userId]))[0] ?? null;
}

/** Whether the account of an e-mail address was signed in from a network address in the last weeks. */
export async function isKnownAddress(email: string, ip: string): Promise<boolean> {
  const statement = `select exists (select from sessions s join users u on u.uid = s.user_id
    where u.email = $1 and s.ip = $2) as known`;
  return (
    (await queryRows(pool, { known: bool }, statement, [storable(email).trim().toLowerCase(), ip]))[0]?.known === true
  );
}

/** Ends a session on the server. */
export async function endSession(uid: string): Promise<void> {
  await pool.query("update sessions set revoked_at = now() where uid = $1 and revoked_at is null", [uid]);
}

const recentlyActive = processWide("sessionActivity", () => new LRUCache<string, true>({ max: 10_000, ttl: 60_000 }));

const activityStatement = `
  with used as (
    update sessions set last_used_at = now(), ip = coalesce($3, ip)
    where uid = $1 and last_used_at < now() - interval '1 minute')
  update memberships set last_active_at = now()
  where uid = $2 and (last_active_at is null or last_active_at < now() - interval '1 minute')`;

/**
 * Records the use of a session, and its member's activity (null for a user without an organization), at most once a
 * minute. Does not delay the request.
 */
export function noteActivity(sessionId: string, membershipId: string | null, ip: string | null): void {
  const key = `${sessionId}:${membershipId}`;
  if (recentlyActive.has(key)) return;
  recentlyActive.set(key, true);
  pool
    .query(activityStatement, [sessionId, membershipId, ip])
    .catch((error: unknown) => warnRepeated(log, { err: error }, "could not record a session's activity"));
}
