import { z } from "zod";
import { signalTypes } from "@/engine/signals/signal-types";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { int8, jsonb, text } from "@/server/platform/rows";

/** The field's column of a topic's file. */
const StoredField = z.object({ path: z.string(), type: z.enum(signalTypes) });
const fileRow = { topic: text, key: text, size: int8, version: text, fields: jsonb(z.array(StoredField)) };

/** When a recording's files were written: tells the files of one processing from those of the next. */
const version = Prisma.sql`(extract(epoch from s.written_at) * 1000)::bigint::text as version`;

/** A file of signals, with the types of its columns by path. */
export interface SignalSource {
  key: string;
  size: number;
  version: string;
  types: ReadonlyMap<string, z.output<typeof StoredField>["type"]>;
}

interface FileRow {
  key: string;
  size: bigint;
  version: string;
  fields: z.output<typeof StoredField>[];
}

const toSource = ({ key, size, version: written, fields }: FileRow): SignalSource => ({
  key,
  size: Number(size),
  version: written,
  types: new Map(fields.map(({ path, type }) => [path, type])),
});

/**
 * The files of signals of a recording that hold exactly what rules read of its messages, by topic. Texts of JSON,
 * CBOR and MessagePack that look like numbers are compared as such by rules, and are no signals.
 */
export async function listSignalSources(
  ctx: Ctx,
  recordingId: string,
  topics: readonly string[],
): Promise<Map<string, SignalSource>> {
  const rows = await query(
    ctx,
    fileRow,
    Prisma.sql`select f.topic, f.storage_key as key, f.size_bytes as size, ${version}, f.fields
      from signal_files f
      join signal_sets s on s.recording_id = f.recording_id and s.error is null
      join recordings r on r.uid = f.recording_id and s.written_at >= r.processed_at
      join topics t on t.recording_id = f.recording_id and t.name = f.topic and t.encoding not in ('json', 'cbor', 'msgpack')
      where f.recording_id = ${recordingId} and f.organization_id = ${ctx.organizationId} and f.topic = any(${[...topics]}::text[])`,
  );
  return new Map(rows.map((row) => [row.topic, toSource(row)]));
}

/** A topic's file of signals, also of JSON; null when there is none. */
export async function findSignalFile(ctx: Ctx, recordingId: string, topic: string): Promise<SignalSource | null> {
  const [row] = await query(
    ctx,
    fileRow,
    Prisma.sql`select f.topic, f.storage_key as key, f.size_bytes as size, ${version}, f.fields
      from signal_files f join signal_sets s on s.recording_id = f.recording_id
      where f.recording_id = ${recordingId} and f.organization_id = ${ctx.organizationId} and f.topic = ${topic}`,
  );
  return row ? toSource(row) : null;
}
