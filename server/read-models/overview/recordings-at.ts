import type { RecordingsAtRequest } from "@/domain/overview/schema";
import { demoFilter } from "@/server/features/devices/demo-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { likeText } from "@/server/platform/like-text";
import { float8, text, timestamptz, type Wire } from "@/server/platform/rows";

/** How long a recording may have run before the moment that it covers. */
const maxBefore = "2 days";
/** Recordings of all devices that began before a moment and are looked at for those that cover it. */
const maxLooked = 2_000;
const maxFound = 6;

const foundRow = {
  uid: text,
  name: text,
  device_name: text,
  started_at: timestamptz,
  ended_at: timestamptz,
  /** How long after the moment it begins; less than zero: how long before that it ended; zero: it covers the moment. */
  distance_seconds: float8,
};
export type RecordingAt = Wire<typeof foundRow>;

const readable = Prisma.sql`r.status in ('ready', 'archived')`;

/**
 * For each device whose name has all of the words, the recording that covers a moment, else the one nearest to it;
 * without words, those of any device that cover the moment, else the nearest. The nearest first, at most six.
 */
export async function findRecordingsAt(
  ctx: Ctx,
  { text: typed, at, demo }: RecordingsAtRequest,
): Promise<RecordingAt[]> {
  const words = typed.split(/\s+/).filter((word) => word !== "");
  return words.length === 0 ? findOfAny(ctx, demo, at) : findOfDevices(ctx, demo, words, at);
}

/** `distance_seconds` of a recording `r`. */
const distance = (at: Date) => Prisma.sql`extract(epoch from case
  when r.started_at > ${at}::timestamptz then r.started_at - ${at}::timestamptz
  when r.ended_at < ${at}::timestamptz then r.ended_at - ${at}::timestamptz
  else interval '0' end)::float8`;

const columns = Prisma.sql`r.uid, r.name, r.device_name, r.started_at, r.ended_at`;

function findOfDevices(ctx: Ctx, demo: boolean | undefined, words: string[], at: Date): Promise<RecordingAt[]> {
  const patterns = words.map((word) => `%${likeText(word)}%`);
  const own = Prisma.sql`r.device_id = d.uid and r.organization_id = ${ctx.organizationId} and ${readable}`;
  return sql(
    foundRow,
    Prisma.sql`with named as materialized (
        select d.uid from devices d
        where d.organization_id = ${ctx.organizationId} ${demoFilter("d", demo)} and d.name ilike all (${patterns}::text[])
        order by lower(d.name) = lower(${words.join(" ")}) desc, d.uid desc limit ${maxFound}
      )
      select nearest.* from named d cross join lateral (
        select ${columns}, ${distance(at)} as distance_seconds from (
          (select ${columns} from recordings r where ${own}
            and r.started_at between ${at}::timestamptz - ${maxBefore}::interval and ${at}::timestamptz
            and r.ended_at >= ${at}::timestamptz
          order by r.started_at desc, r.uid desc limit 1)
          union all
          (select ${columns} from recordings r where ${own} and r.started_at <= ${at}::timestamptz
          order by r.started_at desc, r.uid desc limit 1)
          union all
          (select ${columns} from recordings r where ${own} and r.started_at > ${at}::timestamptz
          order by r.started_at, r.uid limit 1)
        ) r order by abs(${distance(at)}), r.started_at desc limit 1
      ) nearest
      order by abs(nearest.distance_seconds), nearest.device_name, nearest.uid`,
  );
}

function findOfAny(ctx: Ctx, demo: boolean | undefined, at: Date): Promise<RecordingAt[]> {
  const own = Prisma.sql`r.organization_id = ${ctx.organizationId} ${demoFilter("r", demo)} and ${readable}`;
  return sql(
    foundRow,
    Prisma.sql`with near as materialized (
        (select ${columns} from recordings r where ${own}
          and r.started_at between ${at}::timestamptz - ${maxBefore}::interval and ${at}::timestamptz
        order by r.started_at desc, r.uid desc limit ${maxLooked})
        union all
        (select ${columns} from recordings r where ${own}
          and r.started_at < ${at}::timestamptz - ${maxBefore}::interval
        order by r.started_at desc, r.uid desc limit 1)
        union all
        (select ${columns} from recordings r where ${own} and r.started_at > ${at}::timestamptz
        order by r.started_at, r.uid limit 1)
      ), measured as (select ${columns}, ${distance(at)} as distance_seconds from near r)
      select * from measured
      where distance_seconds = 0 or not exists (select 1 from measured where distance_seconds = 0)
      order by abs(distance_seconds), started_at desc, uid desc limit ${maxFound}`,
  );
}
