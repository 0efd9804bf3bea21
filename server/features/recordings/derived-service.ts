import { z } from "zod";
import type { DerivedQuery } from "@/domain/recordings/schema";
import { derivedPoints } from "@/engine/signals/derived-points";
import {
  computeReach,
  ExpressionError,
  findUnit,
  listFields,
  type Expression,
  type FieldOperand,
} from "@/engine/signals/expression";
import type { Samples } from "@/engine/signals/expression-clock";
import { evaluateExpression } from "@/engine/signals/expression-evaluator";
import { parseExpression } from "@/engine/signals/expression-parser";
import { TimeSlicer } from "@/engine/time-slicer";
import { readInputs, type InputTopic } from "@/server/features/recordings/expression-inputs";
import { TopicField, type SeriesWindow } from "@/server/features/recordings/resource";
import { findRecording } from "@/server/features/recordings/service";
import type { Ctx } from "@/server/platform/context";
import { invalid } from "@/server/platform/errors";

/** As rules: a value holds for this many median periods of its topic. */
const heldPeriods = 5n;
/** Longer windows have times that doubles do not hold exactly. */
const maxSpanNs = 2n ** 52n;

/** A derived value over a window, as a series of numbers. */
export type DerivedWindow = SeriesWindow & {
  /** Positions of points before which the value was not known for a time. */
  breaks: number[];
};

interface Topic {
  name: string;
  fields: z.output<typeof TopicField>[];
  messageCount: number;
  firstNs: bigint;
  lastNs: bigint;
  holdNs: number;
}

/**
 * An expression over fields of a recording within a window: computed from single samples, then joined into points.
 * Throws `invalid("expression")` for one that cannot be read, or is too much to compute.
 */
export async function readDerived(ctx: Ctx, recordingId: string, input: DerivedQuery): Promise<DerivedWindow> {
  await findRecording(ctx, recordingId);
  const all = await listTopics(ctx, recordingId);
  const expression = orInvalid(() => parseExpression(input.expression, all));
  const fields = listFields(expression);
  const topics = all.filter(({ name }) => fields.some(({ topic }) => topic === name));
  const first = topics.reduce((least, { firstNs }) => (firstNs < least ? firstNs : least), topics[0]?.firstNs ?? 0n);
  const last = topics.reduce((most, { lastNs }) => (lastNs > most ? lastNs : most), topics[0]?.lastNs ?? 0n);
  const window = { from: input.from ?? first, to: input.to ?? last, points: input.points };
  const unit = findUnit(expression, (field) => findFieldUnit(topics, field));
  const head = {
    topic: "",
    field: input.expression,
    kind: "number" as const,
    ...(unit !== undefined && { unit }),
    level: "raw" as const,
    from: String(window.from),
    to: String(window.to),
  };
  const span = {
    from: findBegin(expression, topics, window.from, first),
    to: window.to < last ? window.to : last,
  };
  if (span.to < span.from || window.to < window.from) return { ...head, points: [], breaks: [] };
  if (span.to - span.from >= maxSpanNs) throw invalid("expression", "The recording is too long for an expression.");
  const inputs = await readInputs(
    ctx,
    recordingId,
    topics.map((topic) => toInput(topic, fields, span)),
    span,
  );
  const samples = await compute(expression, inputs);
  const { points, breaks } = derivedPoints(samples, span.from, window);
  return { ...head, points: points.map(([time, ...values]) => [String(time), ...values]), breaks };
}

async function compute(expression: Expression, inputs: ReadonlyMap<string, Samples>): Promise<Samples> {
  try {
    return await evaluateExpression(expression, inputs, new TimeSlicer());
  } catch (error) {
    if (error instanceof ExpressionError) throw invalid("expression", error.message);
    throw error;
  }
}

function orInvalid<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ExpressionError) throw invalid("expression", error.message);
    throw error;
  }
}

async function listTopics(ctx: Ctx, recordingId: string): Promise<Topic[]> {
  const rows = await ctx.db.topic.findMany({ where: { recordingId, organizationId: ctx.organizationId } });
  return rows.map(({ name, fields, messageCount, firstNs, lastNs, medianPeriodNs }) => ({
    name,
    fields: z.array(TopicField).catch([]).parse(fields),
    messageCount: Number(messageCount),
    firstNs: firstNs ?? 0n,
    lastNs: lastNs ?? firstNs ?? 0n,
    holdNs: medianPeriodNs === null ? Infinity : Number(medianPeriodNs * heldPeriods),
  }));
}

function findFieldUnit(topics: readonly Topic[], { topic, field }: FieldOperand): string | undefined {
  const unit = topics.find(({ name }) => name === topic)?.fields.find(({ path }) => path === field)?.["unit"];
  return typeof unit === "string" ? unit : undefined;
}

/** Where reading begins, so that the first moments of the window are computed like those after them. */
function findBegin(expression: Expression, topics: readonly Topic[], from: bigint, first: bigint): bigint {
  const { ns, samples } = computeReach(expression);
  const hold = Math.max(0, ...topics.map(({ holdNs }) => holdNs));
  const reach = ns + (samples + 1) * hold;
  if (!Number.isFinite(reach)) return first;
  const begin = from - BigInt(Math.ceil(reach));
  return begin > first ? begin : first;
}

function toInput(
  topic: Topic,
  fields: readonly FieldOperand[],
  { from, to }: { from: bigint; to: bigint },
): InputTopic {
  const range = Number(topic.lastNs - topic.firstNs);
  const part = Number((to < topic.lastNs ? to : topic.lastNs) - (from > topic.firstNs ? from : topic.firstNs));
  return {
    name: topic.name,
    fields: fields.flatMap((each) => (each.topic === topic.name ? [each.field] : [])),
    holdNs: topic.holdNs,
    messages: range === 0 ? topic.messageCount : (topic.messageCount * Math.max(0, part)) / range,
  };
}
