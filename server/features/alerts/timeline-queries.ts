import { readAlert } from "@/server/features/alerts/alert-queries";
import type { AlertDetail, TimelineEntry } from "@/server/features/alerts/resource";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import type { Page } from "@/server/platform/pagination";
import { jsonbObject, nullable, text, timestamptz, type Wire } from "@/server/platform/rows";

/** Maximum number of entries of each kind. */
const maxEntries = 500;

const changeRow = {
  at: timestamptz,
  action: text,
  actor_type: text,
  actor_name: text,
  username: nullable(text),
  after: nullable(jsonbObject),
};
type Change = Wire<typeof changeRow>;

const listChanges = (ctx: Ctx, uid: string) =>
  sql(
    changeRow,
    Prisma.sql`
    select e.created_at as at, e.action, e.actor_type, e.actor_name, u.username, e.after from audit_entries e
    left join api_keys k on e.actor_type = 'api_key' and k.uid = e.actor_id
    left join users u on u.uid = k.user_id
    where e.organization_id = ${ctx.organizationId} and e.target_id = ${uid}
      and e.action not in ('alert.triggered', 'alert.commented') order by e.uid limit ${maxEntries}`,
  );

const listComments = (ctx: Ctx, uid: string) =>
  sql(
    { at: timestamptz, actor: text, text },
    Prisma.sql`
    select created_at as at, author_name as actor, body as text from alert_comments
    where alert_id = ${uid} and organization_id = ${ctx.organizationId} order by uid limit ${maxEntries}`,
  );

const listDeliveries = (ctx: Ctx, uid: string) =>
  sql(
    { at: timestamptz, status: text, event: text, error: nullable(text), channel_id: text, name: text },
    Prisma.sql`
    select case when n.attempts = 0 then n.created_at else n.updated_at end as at, n.status,
      case when n.payload->>'reopened' = 'true' then 'alert.reopened' else n.event end as event, n.error, n.channel_id, c.name
    from notifications n join channels c on c.uid = n.channel_id
    where n.alert_id = ${uid} and n.organization_id = ${ctx.organizationId} order by n.uid limit ${maxEntries}`,
  );

const sentences: Record<string, (after: Record<string, unknown>) => string> = {
  "alert.acknowledged": () => "Acknowledged",
  "alert.resolved": ({ note, reason }) =>
    [`Resolved${reason ? ` (${String(reason).replaceAll("_", " ")})` : ""}`, note].filter(Boolean).join(": "),
  "alert.reopened": () => "Reopened",
  "alert.assigned": ({ assignee }) => `Assigned to ${String(assignee)}`,
  "alert.unassigned": () => "Assigned to nobody",
  "alert.snoozed": ({ snoozed_until: until }) => `Snoozed until ${String(until)}`,
  "alert.added_to_dataset": ({ dataset }) => `Added to ${String(dataset)}`,
  "alert.removed_from_dataset": ({ dataset }) => `Removed from ${String(dataset)}`,
  "alert.woken": () => "No longer snoozed",
};

function changeEntry({ at, action, actor_type, actor_name, username, after }: Change): TimelineEntry {
  const actor = actor_type === "system" ? null : (username ?? actor_name);
  return { at, kind: "change", action, actor, text: sentences[action]?.(after ?? {}) ?? action, channel_id: null };
}

const triggeredEntry = (alert: AlertDetail): TimelineEntry => ({
  at: alert.triggered_at,
  kind: "triggered",
  action: "alert.triggered",
  actor: null,
  text: alert.message,
  channel_id: null,
});

/**
 * The timeline of an alert, oldest first: its trigger, changes, comments and deliveries, as one page. Throws
 * `not_found`.
 */
export async function alertTimeline(ctx: Ctx, uid: string): Promise<Page<TimelineEntry>> {
  const alert = await readAlert(ctx, uid);
  const [changes, comments, deliveries] = await Promise.all([
    listChanges(ctx, uid),
    listComments(ctx, uid),
    listDeliveries(ctx, uid),
  ]);
  const entries: TimelineEntry[] = [
    ...changes.map(changeEntry),
    ...comments.map((comment) => ({ ...comment, kind: "comment" as const, action: "comment", channel_id: null })),
    ...deliveries.map(({ at, status, event, error, channel_id, name }) => ({
      at,
      kind: "delivery" as const,
      action: status,
      actor: null,
      text: `${event} to ${name}${error === null ? "" : `: ${error}`}`,
      channel_id,
    })),
  ];
  entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return { results: [triggeredEntry(alert), ...entries], next: null, previous: null };
}
