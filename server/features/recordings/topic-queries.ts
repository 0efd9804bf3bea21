import { z } from "zod";
import { wireInteger } from "@/domain/wire-values";
import { plottedFields } from "@/server/features/recordings/plotted-fields-queries";
import { LongList, type RecordingDetail, TopicField } from "@/server/features/recordings/resource";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { float8, int8, jsonb, nullable, text } from "@/server/platform/rows";

const topicRow = {
  name: text,
  schema: text,
  message_count: int8,
  frequency_hz: float8,
  encoding: text,
  fields: jsonb(z.array(TopicField)),
  long_lists: jsonb(z.array(LongList)),
  error: nullable(text),
};

/** The topics of a recording of the organization, by name. */
export async function listTopics(ctx: Ctx, uid: string): Promise<RecordingDetail["topics"]> {
  const topics = await query(
    ctx,
    topicRow,
    Prisma.sql`select t.name, t.schema_name as schema, t.message_count, t.frequency_hz, t.encoding,
        ${plottedFields("t")} as fields, t.long_lists, t.error
      from topics t where t.recording_id = ${uid} and t.organization_id = ${ctx.organizationId} order by t.name`,
  );
  return topics.map((topic) => ({ ...topic, message_count: wireInteger(topic.message_count) }));
}
