import { secondsFromNs } from "@/domain/time/nanoseconds";
import type { Pass } from "@/engine/columns/pass";
import { densityField } from "@/engine/signals/density";
import type { ProcessedSeries } from "@/server/features/stored-series/store-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute } from "@/server/platform/db";
import { storedJson } from "@/server/platform/stored-text";

/** Rows of one statement. */
const statementRows = 500;

interface FieldStats {
  min: number | null;
  max: number | null;
  p50: number | null;
  p99: number | null;
  last: number | null;
  count: number;
}

/** By topic and field. */
export type SeriesStats = ReadonlyMap<string, ReadonlyMap<string, FieldStats>>;

/** Non-finite numbers as null, because JSON cannot represent them. */
const finite = (value: number | null): number | null => (value !== null && Number.isFinite(value) ? value : null);

/** Encodes the series of a pass into `series`. Returns the statistics of each field. */
export async function keepSeries(pass: Pass, series: ProcessedSeries): Promise<SeriesStats> {
  const units = indexUnits(pass);
  const stats = new Map<string, Map<string, FieldStats>>();
  // Beside each other in the object, because pages read those of many topics at once.
  for (const { topic, count, data } of pass.density.finish())
    await series.add({ topic, field: densityField, kind: "density", unit: null, count, data });
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
    await series.add({ topic, field, kind, unit: units(topic, field), count, data });
  }
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
  { summary, topics: read, stats }: Pick<Pass, "summary" | "topics"> & { stats: SeriesStats },
): Promise<void> {
  await execute(tx, Prisma.sql`delete from topics where recording_id = ${target.recordingId}`);
  const toRow = (topic: Pass["summary"]["topics"][number]) => {
    const { error, fields, longLists } = read.getReading(topic.topic);
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
  const { topics } = summary;
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
