import type { RecordingPair } from "@/domain/recordings/schema";
import { findRecording } from "@/server/features/recordings/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { text } from "@/server/platform/rows";
import type { Pair } from "@/server/read-models/recordings/compared-topic";

const maxAnchors = 100;

const eventRow = { label: text, a: text, b: text };
const alertRow = { rule_name: text, uid_a: text, uid_b: text, a: text, b: text };

/** Moments that two recordings have in common: when each happened first, in nanoseconds since 1970. */
export interface Anchors {
  events: ({ label: string } & Pair<string>)[];
  /** The first alert of each rule in either. */
  alerts: ({ rule_name: string; uid_a: string; uid_b: string } & Pair<string>)[];
}

/** The events and alerts by which two recordings can be aligned. Throws `not_found` when either is not accessible. */
export async function findAnchors(ctx: Ctx, { a, b }: RecordingPair): Promise<Anchors> {
  await Promise.all([findRecording(ctx, a), findRecording(ctx, b)]);
  const firstEvents = (uid: string) => Prisma.sql`select label, min(timestamp_ns) as at from events
    where recording_id = ${uid} and organization_id = ${ctx.organizationId} and label <> '' group by label`;
  const firstAlerts = (
    uid: string,
  ) => Prisma.sql`select distinct on (rule_id) rule_id, rule_name, uid, triggered_ns as at
    from alerts where recording_id = ${uid} and organization_id = ${ctx.organizationId} order by rule_id, triggered_ns, uid`;
  const [events, alerts] = await Promise.all([
    query(
      ctx,
      eventRow,
      Prisma.sql`select label, a.at::text as a, b.at::text as b from (${firstEvents(a)}) a join (${firstEvents(b)}) b using (label)
        order by label limit ${maxAnchors}`,
    ),
    query(
      ctx,
      alertRow,
      Prisma.sql`select a.rule_name, a.uid as uid_a, b.uid as uid_b, a.at::text as a, b.at::text as b
        from (${firstAlerts(a)}) a join (${firstAlerts(b)}) b using (rule_id) order by a.rule_name limit ${maxAnchors}`,
    ),
  ]);
  return { events, alerts };
}
