import { Prisma } from "@/server/platform/database/generated/client";
import { execute, type OnDb } from "@/server/platform/db";

/** A device and the times of heartbeats that came late. */
interface LateTimes {
  uid: string;
  organization_id: string;
  number: number;
  times: readonly Date[];
}

/**
 * Has the rules that watch devices leave out heartbeats which came late: they neither open alerts nor resolve them. To be
 * called before their points are written, in the same transaction: those that are there by then came in their time, and
 * rules read them also when they have fallen behind. What is left out is in the rule's state as spans of time.
 */
export async function leaveOutOfRules(tx: OnDb, late: readonly LateTimes[]): Promise<void> {
  const rows = late.filter(({ times }) => times.length > 0);
  if (rows.length === 0) return;
  const milliseconds = (at: Prisma.Sql) => Prisma.sql`(extract(epoch from ${at}) * 1000)::int8`;
  await execute(
    tx,
    Prisma.sql`with watched as materialized (
        select g.uid, g.number, g.times from json_to_recordset(${JSON.stringify(rows)}::json)
          as g(uid text, organization_id text, number int, times timestamptz[])
        where exists (select from live_rule_states s join rules r on r.uid = s.rule_id and r.enabled
          where s.device_id = g.uid and r.organization_id = g.organization_id)
      ), came as (
        select w.uid, w.number, t.at from watched w cross join lateral unnest(w.times) t(at)
      ), timed as (
        select uid, at, bool_or(kept) as kept from (
          select w.uid, p.at, true as kept
          from (select uid, number, min(at) as first, max(at) as last from came group by uid, number) w
            cross join lateral (
              select at from metric_points where device = w.number and at between w.first and w.last) p
          union all select uid, at, false from came) t
        group by uid, at
      ), spans as (
        select uid, min(at) as first, max(at) as last from (
          select *, count(*) filter (where kept) over (partition by uid order by at) as part from timed) t
        where not kept group by uid, part
      ), left_out as materialized (
        select uid, ${milliseconds(Prisma.sql`max(last)`)} as until, jsonb_agg(
          jsonb_build_array(${milliseconds(Prisma.sql`first`)}, ${milliseconds(Prisma.sql`last`)}) order by first) as spans
        from spans group by uid
      ), locked as materialized (
        -- In the order in which the rules write them.
        select s.rule_id, s.device_id from live_rule_states s join left_out o on o.uid = s.device_id
          join rules r on r.uid = s.rule_id and r.enabled
        where jsonb_typeof(s.state) = 'object' order by s.device_id, s.rule_id for no key update of s
      )
      update live_rule_states s
      set state = jsonb_set(s.state, '{late}', coalesce(s.state -> 'late', '[]'::jsonb) || o.spans)
      from locked k join left_out o on o.uid = k.device_id
      where s.rule_id = k.rule_id and s.device_id = k.device_id
        -- Those that were evaluated beyond them do not read them anyway.
        and case when s.state ->> 'at' ~ '^[0-9]+$' then (s.state ->> 'at')::numeric < o.until::numeric * 1000000 else true end`,
  );
}
