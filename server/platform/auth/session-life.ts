/** A session ends this many days after signing in, and earlier when it is idle. */
export const sessionDays = 30;
const idleDays = 7;

/** The SQL condition under which a row of `sessions s` is a session. */
export const validSession = `s.revoked_at is null and s.expires_at > now()
  and s.last_used_at > now() - interval '${idleDays} days'`;
