import type { Actor } from "@/server/platform/context";
import { sha256 } from "@/server/platform/crypto";
import { pool } from "@/server/platform/db";
import { logFor } from "@/server/platform/log";
import { processWide } from "@/server/platform/process-wide";
import { warnRepeated } from "@/server/platform/repeated-warnings";
import { queryRows, text } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

const log = logFor("audit");

/**
 * An access for the audit log: signing in and out, a refusal, a download. Services write changes with `audit` in their
 * transaction instead.
 */
export interface Access {
  /** Where it is recorded: one organization, or every one of the person with that uid or e-mail address. */
  where: { organizationId: string } | { userId: string } | { email: string };
  /** Null for the person of `where`. The names of others are looked up when they are not given. */
  actor: (Pick<Actor, "type" | "id"> & { name?: string }) | { type: "anonymous"; id: string; name: string } | null;
  action: string;
  /** Null for the person of `where`. */
  target: { type: string; id: string; name: string } | null;
  ip: string | null;
  requestId: string | null;
  /** Repetitions within so many minutes count in one entry; 0 for an entry each. */
  minutes: number;
}

interface Noted extends Access {
  count: number;
}

/** Accesses that wait to be written, by what makes them the same. Beyond the limit further ones are dropped. */
const waiting = processWide("accessLog", () => ({
  entries: new Map<string, Noted>(),
  dropped: 0,
  timer: false,
  writing: Promise.resolve(),
}));
const maxWaiting = 10_000;
const flushMs = 1_000;
const maxText = 500;

/** Records an access in the audit log, a moment later: the request neither waits for it nor fails with it. */
export function noteAccess(access: Access): void {
  const { where, actor, action, target, minutes } = access;
  const key = minutes === 0 ? uuidv7() : JSON.stringify([where, actor?.type, actor?.id, action, target?.id]);
  const same = waiting.entries.get(key);
  if (same) same.count++;
  else if (waiting.entries.size < maxWaiting) waiting.entries.set(key, { ...access, count: 1 });
  else waiting.dropped++;
  if (waiting.timer) return;
  waiting.timer = true;
  setTimeout(() => {
    waiting.timer = false;
    flushAccesses().catch((error: unknown) => warnRepeated(log, { err: error }, "accesses could not be written"));
  }, flushMs).unref();
}

const personRow = { organization_id: text, user_id: text, username: text, email: text };

/** The memberships of the people of these accesses, at most 20 of each. */
const findMemberships = (userIds: string[], emails: string[]) =>
  queryRows(
    pool,
    personRow,
    {
      name: "access-memberships",
      text: `select m.organization_id, u.uid as user_id, u.username, u.email from users u
        cross join lateral (select organization_id from memberships where user_id = u.uid order by uid limit 20) m
        where u.uid = any($1) or u.email = any($2)`,
    },
    [userIds, emails],
  );

type Membership = Awaited<ReturnType<typeof findMemberships>>[number];

/** One row for every organization in which an access is recorded. */
function toRows(access: Noted, memberships: readonly Membership[]) {
  const { where, minutes, action, ip, requestId, count } = access;
  const places =
    "organizationId" in where
      ? [{ organization_id: where.organizationId, user_id: "", username: "" }]
      : memberships.filter(({ user_id, email }) =>
          "userId" in where ? user_id === where.userId : email === where.email,
        );
  return places.map(({ organization_id, user_id, username }) => {
    const actor = access.actor ?? { type: "user", id: user_id, name: username };
    const target = access.target ?? { type: "user", id: user_id, name: username };
    const same = [organization_id, actor.type, actor.id, action, target.type, target.id];
    return {
      uid: uuidv7(),
      key: minutes === 0 ? null : sha256(JSON.stringify(same)),
      minutes,
      organization_id,
      actor_type: actor.type,
      actor_id: actor.id,
      actor_name: actor.name ?? null,
      action,
      target_type: target.type,
      target_id: target.id.slice(0, maxText),
      target_name: target.name.slice(0, maxText),
      ip,
      request_id: requestId,
      count,
    };
  });
}

// A window that has ended is replaced by one that begins with this entry; in an open one its entry counts.
const writeStatement = `
  with given as (
    select * from jsonb_to_recordset($1::jsonb) as g(uid text, key text, minutes int, organization_id text,
      actor_type text, actor_id text, actor_name text, action text, target_type text, target_id text,
      target_name text, ip text, request_id text, count int)
    where exists (select 1 from organizations o where o.uid = g.organization_id)
  ), windows as (
    insert into audit_windows as w (key, entry_uid, ends_at)
    select key, uid, now() + make_interval(mins => minutes) from given where key is not null order by key
    on conflict (key) do update set
      entry_uid = case when w.ends_at <= now() then excluded.entry_uid else w.entry_uid end,
      ends_at = case when w.ends_at <= now() then excluded.ends_at else w.ends_at end
    returning w.key, w.entry_uid
  ), counted as (
    update audit_entries e set count = e.count + g.count from windows w join given g on g.key = w.key
    where e.uid = w.entry_uid and w.entry_uid <> g.uid
  )
  insert into audit_entries (uid, organization_id, actor_type, actor_id, actor_name, action, target_type, target_id,
    target_name, ip, request_id, count)
  select g.uid, g.organization_id, g.actor_type, g.actor_id,
    coalesce(g.actor_name, (select username from users where uid = g.actor_id),
      (select name from api_keys where uid = g.actor_id), (select name from devices where uid = g.actor_id), g.actor_id),
    g.action, g.target_type, g.target_id, g.target_name, g.ip, g.request_id, g.count
  from given g left join windows w on w.key = g.key
  where g.key is null or w.entry_uid = g.uid`;

/**
 * Writes what waits, after what is being written. Accesses that cannot be written are lost; the log says how many.
 */
export function flushAccesses(): Promise<void> {
  const written = waiting.writing.then(write);
  waiting.writing = written.catch(() => {});
  return written;
}

/** In two statements. */
async function write(): Promise<void> {
  const noted = [...waiting.entries.values()];
  const { dropped } = waiting;
  waiting.entries.clear();
  waiting.dropped = 0;
  if (dropped > 0) log.warn({ dropped }, "too many accesses at the same time; some are not in the audit log");
  if (noted.length === 0) return;
  const people = noted.flatMap(({ where }) => ("organizationId" in where ? [] : [where]));
  const userIds = people.flatMap((person) => ("userId" in person ? [person.userId] : []));
  const emails = people.flatMap((person) => ("email" in person ? [person.email] : []));
  const memberships = people.length === 0 ? [] : await findMemberships(userIds, emails);
  const merged = new Map<string, ReturnType<typeof toRows>[number]>();
  for (const row of noted.flatMap((access) => toRows(access, memberships))) {
    const same = merged.get(row.key ?? row.uid);
    if (same) same.count += row.count;
    else merged.set(row.key ?? row.uid, row);
  }
  await pool.query({ name: "access-write", text: writeStatement, values: [JSON.stringify([...merged.values()])] });
}
