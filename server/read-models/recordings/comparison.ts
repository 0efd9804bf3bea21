import type { RecordingPair } from "@/domain/recordings/schema";
import { type Severity, severities } from "@/domain/severity";
import type { RecordingResource } from "@/server/features/recordings/resource";
import { findRecording } from "@/server/features/recordings/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { int4, oneOf, text } from "@/server/platform/rows";
import { listComparedTopics, type ComparedTopic, type Pair } from "@/server/read-models/recordings/compared-topic";
import { compareFields, type MovedField } from "@/server/read-models/recordings/field-differences";
import { countLevels, type LevelCounts } from "@/server/read-models/recordings/level-counts";
import { findSilences, type Silence } from "@/server/read-models/recordings/silences";

/** Rows of each kind of difference that are returned; `total` counts all. */
const maxRows = 200;
/** A rate that differs by more than this part of the higher one counts as different. */
const rateTolerance = 0.1;

interface Rows<Row> {
  rows: Row[];
  total: number;
}

interface OnlyTopic {
  topic: string;
  schema: string;
  message_count: number;
}

const alertRow = { rule_id: text, rule_name: text, severity: oneOf(severities), a: int4, b: int4 };

/** How two recordings differ. Rates in Hz; rows of topics by name, those of fields by how far they moved. */
export interface Comparison {
  /** Topics and fields that both have. */
  common_topics: number;
  common_fields: number;
  only_a: Rows<OnlyTopic>;
  only_b: Rows<OnlyTopic>;
  schemas: Rows<{ topic: string } & Pair<string>>;
  rates: Rows<{ topic: string } & Pair<number>>;
  /** Parts that could not be read. */
  gaps: Pair<{ count: number; seconds: number }>;
  silences: Rows<Silence>;
  /** Null where no log was counted. */
  levels: Pair<LevelCounts | null>;
  alerts: ({ rule_id: string; rule_name: string; severity: Severity } & Pair<number>)[];
  fields: Rows<MovedField>;
}

const limited = <Row>(rows: readonly Row[]): Rows<Row> => ({ rows: rows.slice(0, maxRows), total: rows.length });

/** What two recordings have in common and where they differ. Throws `not_found` when either is not accessible. */
export async function compareRecordings(ctx: Ctx, { a, b }: RecordingPair): Promise<Comparison> {
  const [first, second] = await Promise.all([findRecording(ctx, a), findRecording(ctx, b)]);
  const [ofFirst, ofSecond] = await Promise.all([listComparedTopics(ctx, a), listComparedTopics(ctx, b)]);
  const others = new Map(ofSecond.map((topic) => [topic.name, topic]));
  const common = ofFirst.flatMap((topic) => {
    const other = others.get(topic.name);
    return other ? [{ a: topic, b: other }] : [];
  });
  const shared = new Set(common.map((pair) => pair.a.name));
  const only = (topics: readonly ComparedTopic[]) =>
    limited(
      topics
        .filter(({ name }) => !shared.has(name))
        .map(({ name, schema, messageCount }) => ({ topic: name, schema, message_count: messageCount })),
    );
  const fields = compareFields(common);
  const [silences, levelsOfFirst, levelsOfSecond, alerts] = await Promise.all([
    findSilences(ctx, { a: first, b: second }, common),
    countLevels(ctx, a, ofFirst),
    countLevels(ctx, b, ofSecond),
    countAlerts(ctx, { a, b }),
  ]);
  return {
    common_topics: common.length,
    common_fields: fields.compared,
    only_a: only(ofFirst),
    only_b: only(ofSecond),
    schemas: limited(
      common
        .filter((pair) => pair.a.schema !== pair.b.schema)
        .map((pair) => ({ topic: pair.a.name, a: pair.a.schema, b: pair.b.schema })),
    ),
    rates: limited(
      common
        .map((pair) => ({ topic: pair.a.name, a: pair.a.frequencyHz, b: pair.b.frequencyHz }))
        .filter((rate) => Math.abs(rate.a - rate.b) > rateTolerance * Math.max(rate.a, rate.b)),
    ),
    gaps: { a: sumGaps(first), b: sumGaps(second) },
    silences: limited(silences),
    levels: { a: levelsOfFirst, b: levelsOfSecond },
    alerts,
    fields: limited(fields.moved),
  };
}

const sumGaps = ({ gaps }: RecordingResource): { count: number; seconds: number } => ({
  count: gaps.length,
  seconds: gaps.reduce((sum, { start_ns, end_ns }) => sum + Number(BigInt(end_ns) - BigInt(start_ns)) / 1e9, 0),
});

/** The alerts of each rule in either recording, the worst first. */
const countAlerts = (ctx: Ctx, { a, b }: RecordingPair): Promise<Comparison["alerts"]> =>
  query(
    ctx,
    alertRow,
    Prisma.sql`select rule_id, max(rule_name) as rule_name, (array_agg(severity order by severity_rank desc))[1] as severity,
        count(*) filter (where recording_id = ${a})::int as a, count(*) filter (where recording_id = ${b})::int as b
      from alerts where recording_id in (${a}, ${b}) and organization_id = ${ctx.organizationId}
      group by rule_id order by max(severity_rank) desc, 2 limit ${maxRows}`,
  );
