import { z } from "zod";
import { signalTypes } from "@/engine/signals/signal-types";
import type { SignalTable } from "@/server/features/signals/resource";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { jsonb, text } from "@/server/platform/rows";

/** Topics that are listed at most. */
const maxTables = 2_000;
/** Recordings of a topic whose fields are listed, the newest. */
const recordingsOfTable = 3;

const Fields = z.array(z.object({ path: z.string(), type: z.enum(signalTypes) }));

/**
 * The tables that queries can read, by topic, each with the fields of its newest recordings in the order of their
 * messages; a field has the type of the newest recording that has it. `truncated`: there are more topics.
 */
export async function listTables(ctx: Ctx): Promise<{ results: SignalTable[]; truncated: boolean }> {
  // One step of the index for each topic: the number of recordings does not matter.
  const rows = await query(
    ctx,
    { topic: text, fields: jsonb(Fields) },
    Prisma.sql`with recursive topics as (
        (select topic from signal_files where organization_id = ${ctx.organizationId} order by topic limit 1)
        union all
        select (select f.topic from signal_files f where f.organization_id = ${ctx.organizationId} and f.topic > t.topic
          order by f.topic limit 1)
        from topics t where t.topic is not null
      )
      select t.topic, f.fields
      from (select topic from topics where topic is not null limit ${maxTables + 1}::int) t
      cross join lateral (
        select fields, recording_id from signal_files
        where organization_id = ${ctx.organizationId} and topic = t.topic
        order by recording_id desc limit ${recordingsOfTable}::int
      ) f
      order by t.topic, f.recording_id desc`,
  );
  const tables = new Map<string, Map<string, string>>();
  for (const { topic, fields } of rows) {
    const known = tables.get(topic) ?? new Map<string, string>();
    tables.set(topic, known);
    for (const { path, type } of fields) if (!known.has(path)) known.set(path, type);
  }
  const results = [...tables].map(([topic, fields]) => ({
    topic,
    fields: [...fields].map(([path, type]) => ({ path, type })),
  }));
  return { results: results.slice(0, maxTables), truncated: results.length > maxTables };
}
