import { secondsFromNs } from "@/domain/time/nanoseconds";
import type { Pass } from "@/engine/columns/pass";
import { densityField } from "@/engine/signals/density";
import { pack } from "@/server/features/recordings/packed-series";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, executeBytes } from "@/server/platform/db";
import { storedJson, storedText } from "@/server/platform/stored-text";

/**
 * Bytes (before compression) and rows of one statement; small enough that encoded series do not accumulate in memory.
 */
const statementBytes = 8 * 1024 * 1024;
const statementRows = 500;

interface FieldStats {
  min: number | null;
  max: number | null;
  p50: number | null;
  p99: number | null;
  last: number | null;
  count: number;
}

/** Non-finite numbers as null, because JSON cannot represent them. */
const finite = (value: number | null): number | null => (value !== null && Number.isFinite(value) ? value : null);

/** Replaces the series of a recording. Returns the statistics of each field, by topic and field. */
export async function replaceSeries(
  tx: Ctx,
  recordingId: string,
  pass: Pass,
): Promise<Map<string, Map<string, FieldStats>>> {
  await execute(tx, Prisma.sql`delete from series where recording_id = ${recordingId}`);
  const units = indexUnits(pass);
  const stats = new Map<string, Map<string, FieldStats>>();
  let batch: Promise<Prisma.Sql>[] = [];
  let bytes = 0;
  const write = async () => {
    if (batch.length === 0) return;
    const rows = await Promise.all(batch);
    batch = [];
    bytes = 0;
    await executeBytes(
      tx,
      Prisma.sql`insert into series (recording_id, topic, field, kind, unit, sample_count, data) values ${Prisma.join(rows)}
        on conflict do nothing`,
    );
  };
  for (const { topic, field, kind, count, min, max, p50, p99, last, data } of pass.series.finish()) {
    const fields = stats.get(topic) ?? new Map<string, FieldStats>();
    stats.set(
      topic,
      fields.set(field, {
        min: finite(min),
        max: finite(max),
        p50: finite(p50),
        p99: finite(p99),
        last: finite(last),
        count,
      }),
    );
    const row = async () => {
      const packed = await pack(data);
      return Prisma.sql`(${recordingId}, ${storedText(topic)}, ${storedText(field)}, ${kind}, ${units(topic, field)}, ${count}::bigint, ${packed})`;
    };
    batch.push(row());
    bytes += data.length;
    if (bytes >= statementBytes || batch.length >= statementRows) await write();
  }
  for (const { topic, count, data } of pass.density.finish()) {
    const row = async () =>
      Prisma.sql`(${recordingId}, ${storedText(topic)}, ${densityField}, ${"density"}, ${null}, ${count}::bigint, ${await pack(data)})`;
    batch.push(row());
    if (batch.length >= statementRows) await write();
  }
  await write();
  return stats;
}

/** Returns a lookup of units by topic and field. The series of a topic come one after another mostly. */
function indexUnits({ topics }: Pass): (topic: string, field: string) => string | null {
  let last = "";
  let units = new Map<string, string | undefined>();
  return (topic, field) => {
    if (topic !== last || units.size === 0) {
      units = new Map(topics.getReading(topic).fields.map(({ path, unit }) => [path, unit]));
      last = topic;
    }
    return units.get(field) ?? null;
  };
}

/** Replaces the topics of a recording, each with the fields for which a series was stored. */
export async function replaceTopics(
  tx: Ctx,
  target: { recordingId: string; deviceId: string },
  pass: Pass,
  stats: ReadonlyMap<string, ReadonlyMap<string, FieldStats>>,
): Promise<void> {
  await execute(tx, Prisma.sql`delete from topics where recording_id = ${target.recordingId}`);
  const toRow = (topic: Pass["summary"]["topics"][number]) => {
    const { error, fields, longLists } = pass.topics.getReading(topic.topic);
    const seconds = secondsFromNs(topic.lastTime - topic.firstTime);
    return {
      name: topic.topic,
      schema_name: topic.schemaName,
      encoding: topic.encoding,
      message_count: topic.messageCount,
      // Periods between messages: n messages span n - 1 of them.
      frequency_hz: seconds > 0 ? (topic.messageCount - 1) / seconds : 0,
      first_ns: String(topic.firstTime),
      last_ns: String(topic.lastTime),
      median_period_ns: topic.medianPeriodNs?.toString() ?? null,
      error,
      long_lists: longLists,
      fields: fields.flatMap(({ path, kind, unit, enumValues }) => {
        const seen = stats.get(topic.topic)?.get(path);
        if (seen === undefined) return [];
        const field = {
          path,
          kind,
          ...(unit !== undefined && { unit }),
          ...(enumValues !== undefined && { values: enumValues }),
          ...(kind === "number" && { min: seen.min, max: seen.max, p50: seen.p50, p99: seen.p99, last: seen.last }),
        };
        return [field];
      }),
    };
  };
  const { topics } = pass.summary;
  for (let from = 0; from < topics.length; from += statementRows) {
    const part = storedJson(topics.slice(from, from + statementRows).map(toRow));
    await execute(
      tx,
      Prisma.sql`insert into topics (recording_id, name, organization_id, device_id, schema_name, encoding, message_count, frequency_hz,
          first_ns, last_ns, median_period_ns, fields, long_lists, error)
        select ${target.recordingId}, t.name, ${tx.organizationId}, ${target.deviceId}, t.schema_name, t.encoding, t.message_count,
          t.frequency_hz, t.first_ns, t.last_ns, t.median_period_ns, t.fields, t.long_lists, t.error
        from jsonb_to_recordset(${part}::jsonb) as t(name text, schema_name text, encoding text, message_count bigint,
          frequency_hz float8, first_ns bigint, last_ns bigint, median_period_ns bigint, fields jsonb, long_lists jsonb,
          error text)
        on conflict do nothing`,
    );
  }
}
