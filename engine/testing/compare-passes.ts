import { parseCondition } from "@/domain/conditions/condition-schema";
import { processColumns, type ColumnOptions, type Pass } from "@/engine/columns/pass";
import type { ByteSource } from "@/engine/formats/byte-source";
import type { Codecs } from "@/engine/formats/codecs/codecs";
import { RecordingError } from "@/engine/formats/recording-error";
import { processRecording } from "@/engine/oracle/process-recording";
import type { RuleInput } from "@/engine/rules/evaluate";
import { describeSignals, SignalsInMemory } from "@/engine/testing/describe-signals";

type Read = (
  files: readonly ByteSource[],
  rules: readonly RuleInput[],
  options: ColumnOptions,
) => Promise<{ pass: Pass; signals: Map<string, unknown> | null }>;

/** Message by message, its signals as well. */
const readMessages: Read = async (files, rules, options) => {
  const pass = await processRecording(files, rules, options);
  return { pass, signals: await describeSignals(files, options.codecs) };
};

const readColumns: Read = async (files, rules, options) => {
  const signals = new SignalsInMemory();
  const pass = await processColumns(files, rules, { ...options, signals: () => signals.begin() });
  return { pass, signals: pass.signals && (await signals.describe(pass.signals)) };
};

/** Fields of a topic for which conditions are made. */
const fieldsPerTopic = 6;
const topicsAtMost = 12;

/** A value as text, with everything that JSON leaves out or changes. */
const toText = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === "bigint") return `${inner}n`;
    if (inner instanceof Uint8Array) return Buffer.from(inner).toString("base64");
    return typeof inner === "number" && !Number.isFinite(inner) ? String(inner) : inner;
  });

/** All that a pass found out, in parts of text; the order in which topics and fields appeared is left out. */
function describePass({ summary, topics, series, density, results, warnings, sizeBytes }: Pass): Map<string, string> {
  const parts = new Map<string, string>();
  parts.set("summary", toText({ ...summary, warnings: [...summary.warnings].sort() }));
  parts.set("warnings", toText([...warnings].sort()));
  parts.set("size", String(sizeBytes));
  for (const { topic } of summary.topics) {
    const reading = topics.getReading(topic);
    reading.fields.sort((a, b) => (a.path < b.path ? -1 : 1));
    parts.set(`reading ${topic}`, toText(reading));
  }
  for (const one of series.finish()) parts.set(`series ${one.topic} ${one.field} ${one.kind}`, toText(one));
  for (const one of density.finish()) parts.set(`density ${one.topic}`, toText(one));
  for (const result of results) parts.set(`rule ${result.ruleUid}`, toText(result));
  return parts;
}

export interface Comparison {
  /** Parts that differ, empty when both agree; both refusing with the same words is agreement too. */
  differences: string[];
  parts: number;
  hits: number;
  refused: boolean;
  /** Whether signals were written in the same pass. */
  signals: boolean;
  /** Messages read into columns, and those read in the order of the merge. */
  columns: number;
  merged: number;
}

async function attempt(
  read: Read,
  files: readonly ByteSource[],
  rules: readonly RuleInput[],
  options: ColumnOptions,
): Promise<{ parts: Map<string, string>; signals: Map<string, unknown> | null; hits: number; refusal: string | null }> {
  try {
    const { pass, signals } = await read(files, rules, options);
    const hits = pass.results.reduce((sum, result) => sum + result.hits.length, 0);
    return { parts: describePass(pass), signals, hits, refusal: null };
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    return { parts: new Map(), signals: null, hits: 0, refusal: error.message };
  }
}

/** Reads files as one recording in both ways, and compares everything that comes out. */
export async function comparePasses(
  files: readonly ByteSource[],
  rules: readonly RuleInput[],
  options: ColumnOptions,
): Promise<Comparison> {
  const expected = await attempt(readMessages, files, rules, options);
  let [columns, merged] = [0, 0];
  const onRead = (...counts: [number, number]): void => void ([columns, merged] = counts);
  const found = await attempt(readColumns, files, rules, { ...options, onRead });
  // Signals that the pass gave up are written as those expected are.
  if (expected.signals && found.signals) {
    for (const [topic, signals] of expected.signals) expected.parts.set(`signals ${topic}`, toText(signals));
    for (const [topic, signals] of found.signals) found.parts.set(`signals ${topic}`, toText(signals));
  }
  const names = new Set([...expected.parts.keys(), ...found.parts.keys()]);
  const differences = [...names].flatMap((name) => {
    const [a, b] = [expected.parts.get(name) ?? "nothing", found.parts.get(name) ?? "nothing"];
    if (a === b) return [];
    let at = 0;
    while (a[at] === b[at]) at += 1;
    const near = (text: string): string => text.slice(Math.max(0, at - 60), at + 200);
    return [`${name}:\n  expected …${near(a)}\n  found    …${near(b)}`];
  });
  if (expected.refusal !== found.refusal)
    differences.push(`expected ${expected.refusal ?? "no refusal"}, found ${found.refusal ?? "none"}`);
  return {
    differences,
    parts: names.size,
    hits: expected.hits,
    refused: expected.refusal !== null,
    signals: found.signals !== null,
    columns,
    merged,
  };
}

/** Conditions of every type on the topics and fields of a recording, around the values that they have. */
export async function makeRules(files: readonly ByteSource[], codecs: Codecs): Promise<RuleInput[]> {
  let pass: Pass;
  try {
    pass = await processRecording(files, [], { codecs });
  } catch (error) {
    if (error instanceof RecordingError) return [];
    throw error;
  }
  const conditions: Record<string, unknown>[] = [];
  const { topics } = pass.summary;
  const chosen = new Set(topics.slice(0, topicsAtMost).map(({ topic }) => topic));
  const used = new Map<string, number>();
  const series = [...pass.series.finish()];
  for (const { topic, field, kind, p50, min, max, p99 } of series) {
    const count = (used.get(`${topic} ${kind}`) ?? 0) + 1;
    used.set(`${topic} ${kind}`, count);
    if (!chosen.has(topic) || count > fieldsPerTopic) continue;
    const base = { topic, field };
    if (kind === "state") {
      conditions.push({ type: "pattern", ...base, regex: "a|1|e" }, { type: "pattern", ...base, regex: "^$|true" });
      conditions.push({ type: "threshold", ...base, operator: "eq", value: "true" });
      continue;
    }
    if (p50 === null || min === null || max === null || p99 === null) continue;
    const threshold = { type: "threshold", ...base, value: p50 };
    const range = [Math.min(p50, p99), Math.max(p50, p99)];
    conditions.push(
      { ...threshold, operator: "gt" },
      { ...threshold, operator: "gt", value: p99, window: "5ms" },
      { ...threshold, operator: "gte", window: "100ms" },
      { ...threshold, operator: "lt", window: "1s", cooldown: "2s" },
      { ...threshold, operator: "lte", keep_for: "30ms" },
      { ...threshold, operator: "eq" },
      { ...threshold, operator: "neq", keep_for: "1s", cooldown: "5s" },
      { ...threshold, operator: "between", value: range },
      { ...threshold, operator: "outside", value: range, window: "20ms" },
      { ...threshold, operator: "gt", recover: { operator: "lt", value: (p50 + min) / 2 } },
      { ...threshold, operator: "lt", recover: { operator: "gt", value: (p50 + max) / 2 }, window: "10ms" },
      { type: "rate", ...base, operator: "gt", value: max - min },
      { type: "rate", ...base, operator: "lt", value: 0, over: "50ms" },
      { type: "frequency", ...base, operator: "gt", value: p50, count_operator: "gte", count: 5, window: "100ms" },
    );
  }
  for (const { topic, medianPeriodNs, messageCount } of topics.slice(0, topicsAtMost)) {
    const period = Number(medianPeriodNs ?? 1_000_000n) / 1e6;
    const ms = (periods: number): string => `${Math.max(1, Math.round(period * periods))}ms`;
    for (const [operator, count] of [
      ["gt", 9],
      ["gte", 10],
      ["lt", 10],
      ["eq", 10],
      ["neq", 10],
      ["lte", 3],
    ] as const)
      conditions.push({ type: "frequency", topic, count_operator: operator, count, window: ms(10) });
    conditions.push({ type: "frequency", topic, count_operator: "gt", count: messageCount, window: "10s" });
    for (const periods of [1, 3, 20]) conditions.push({ type: "absence", topic, timeout: ms(periods) });
    conditions.push({ type: "absence", topic, timeout: ms(2), keep_for: ms(5) });
  }
  conditions.push(
    { type: "absence", topic: "/missing", timeout: "1s" },
    { type: "absence", topic: "/*", timeout: "1s" },
  );
  // Fields that some topics have, and one that none has; early, as callers may take only the first rules.
  const several = series.filter(({ kind, p50 }) => kind !== "state" && p50 !== null).slice(0, 3);
  const wide = several.map(({ field, p50 }) => ({ field, operator: "gt", value: p50, window: "20ms" }));
  wide.push({ field: "member_of_none.x", operator: "gt", value: 0, window: "20ms" });
  conditions.splice(2, 0, ...wide.map((each) => ({ type: "threshold", topic: "/*", ...each })));
  const usable = conditions.filter((condition) => isUsable(condition));
  const simple = usable.filter(({ cooldown, keep_for: keepFor }) => cooldown === undefined && keepFor === undefined);
  for (let at = 0; at + 7 < simple.length; at += 7) {
    const [a, b, c] = [simple[at], simple[at + 3], simple[at + 7]];
    const all = [
      { type: "composite", operator: "and", conditions: [a, b], hold: "50ms" },
      { type: "composite", operator: "or", conditions: [a, b, c], keep_for: "20ms", cooldown: "1s" },
    ];
    usable.push(...all.filter((condition) => isUsable(condition)));
  }
  return usable.map((condition, at) => ({ uid: `rule-${at}`, version: 1, condition: parseCondition(condition) }));
}

function isUsable(condition: unknown): boolean {
  try {
    parseCondition(condition);
    return true;
  } catch {
    return false;
  }
}
