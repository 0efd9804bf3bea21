import { z } from "zod";
import { TopicField } from "@/server/features/recordings/resource";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { float8, int8, jsonb, nullable, text } from "@/server/platform/rows";

const topicRow = {
  name: text,
  schema: text,
  message_count: int8,
  frequency_hz: float8,
  median_period_ns: nullable(int8),
  fields: jsonb(z.array(TopicField)),
};

/** A topic of a recording as processing stored it. */
export interface ComparedTopic {
  name: string;
  schema: string;
  messageCount: number;
  frequencyHz: number;
  medianPeriodNs: bigint | null;
  fields: z.output<typeof TopicField>[];
}

/** A value of each of two recordings. */
export interface Pair<Value> {
  a: Value;
  b: Value;
}

/** The topics of a recording, by name. */
export async function listComparedTopics(ctx: Ctx, uid: string): Promise<ComparedTopic[]> {
  const rows = await query(
    ctx,
    topicRow,
    Prisma.sql`select name, schema_name as schema, message_count, frequency_hz, median_period_ns, fields
      from topics where recording_id = ${uid} and organization_id = ${ctx.organizationId} order by name`,
  );
  return rows.map((row) => ({
    name: row.name,
    schema: row.schema,
    messageCount: Number(row.message_count),
    frequencyHz: row.frequency_hz,
    medianPeriodNs: row.median_period_ns,
    fields: row.fields,
  }));
}
