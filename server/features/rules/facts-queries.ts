import { z } from "zod";
import type { RecordingFacts, TopicFacts } from "@/engine/rules/evaluate";
import { listEnums } from "@/engine/rules/facts";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { bool, jsonb, nullable, text } from "@/server/platform/rows";

/** The facts that processing stored for a recording, equal to those it computed. */
export interface StoredFacts extends RecordingFacts {
  /** Changes with every processing of the recording. */
  processed: string;
}

const StoredField = z.object({
  path: z.string(),
  kind: z.string(),
  values: z.record(z.string(), z.string()).optional(),
});
/** A topic's name, count, median period and error, and its enum fields. */
const TopicFactsRow = z.object({
  n: z.string(),
  c: z.number(),
  p: z.string().nullable(),
  e: z.string().nullable(),
  f: z.array(StoredField).nullable(),
});
const factsRow = {
  uid: text,
  start_ns: nullable(text),
  end_ns: nullable(text),
  truncated: bool,
  processed: nullable(text),
  topics: nullable(jsonb(z.array(TopicFactsRow))),
};

/** The facts of several recordings, by uid; those that were never processed are omitted. */
export async function storedFacts(ctx: Ctx, recordingIds: readonly string[]): Promise<Map<string, StoredFacts>> {
  const rows = await sql(
    factsRow,
    Prisma.sql`
    select r.uid, r.start_ns::text as start_ns, r.end_ns::text as end_ns, r.truncated, r.processed_at::text as processed,
      (select jsonb_agg(jsonb_build_object('n', t.name, 'c', t.message_count, 'p', t.median_period_ns::text, 'e', t.error,
          'f', case when t.fields @> '[{"kind": "enum"}]' then t.fields end))
        from topics t where t.recording_id = r.uid) as topics
    from recordings r
    where r.organization_id = ${ctx.organizationId} and r.uid = any(${[...recordingIds]}) and r.processed_at is not null`,
  );
  return new Map(
    rows.map((row) => [
      row.uid,
      {
        startTime: BigInt(row.start_ns ?? 0),
        endTime: BigInt(row.end_ns ?? 0),
        truncated: row.truncated,
        processed: row.processed ?? "",
        topics: (row.topics ?? []).map((topic): TopicFacts => {
          const enums = topic.f
            ? listEnums(
                topic.f.map(({ path, kind, values }) => ({
                  path,
                  ...(kind === "enum" && values && { enumValues: values }),
                })),
              )
            : undefined;
          return {
            topic: topic.n,
            messageCount: topic.c,
            medianPeriodNs: topic.p === null ? null : BigInt(topic.p),
            ...(topic.e !== null && { undecodable: topic.e }),
            ...(enums !== undefined && { enums }),
          };
        }),
      },
    ]),
  );
}
