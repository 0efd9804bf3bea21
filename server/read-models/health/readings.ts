import { flattenMetrics } from "@/domain/health/flatten";
import {
  boundNames,
  formatMetric,
  guessMeaning,
  judge,
  resolveMeaning,
  type Judgement,
  type MetricBounds,
  type MetricValue,
  type SavedMeaning,
} from "@/domain/health/meanings";
import type { MetricReading } from "@/server/features/devices/resource";
import { readMeanings } from "@/server/features/health/meaning-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { text } from "@/server/platform/rows";

/** A device with the metrics of its last heartbeat. */
interface Source {
  type: string;
  metrics: Record<string, unknown>;
}

const readValues = ({ metrics }: Source): Map<string, MetricValue> => {
  const { numbers, states } = flattenMetrics(metrics);
  return new Map([...numbers, ...[...states].map(([name, { value }]): [string, MetricValue] => [name, value])]);
};

function toReading(name: string, value: MetricValue, saved: readonly SavedMeaning[], type: string): MetricReading {
  const meaning = resolveMeaning(name, saved, type, value);
  return { name, label: meaning.label, text: formatMetric(value, meaning), judgement: judge(value, meaning) };
}

/** Of each device the metrics of these names that its last heartbeat had, by one statement for all of them. */
export async function readNamed(
  ctx: Ctx,
  devices: readonly Source[],
  names: readonly string[],
): Promise<MetricReading[][]> {
  const meanings = await readMeanings(ctx, names);
  return devices.map((device) => {
    const values = readValues(device);
    return names.flatMap((name) => {
      const value = values.get(name);
      return value === undefined ? [] : [toReading(name, value, meanings.get(name) ?? [], device.type)];
    });
  });
}

type Judge = (name: string, value: MetricValue, type: string) => { rank: number; harm: Harm };

/** Meanings of many devices: those of a type mostly send the same, and all but the label follows from little of it. */
function judgeBy(meanings: ReadonlyMap<string, readonly SavedMeaning[]>): Judge {
  const known = new Map<string, ReturnType<typeof resolveMeaning>>();
  return (name, value, type) => {
    // Whether a value is above 1 decides between a fraction and per cent.
    const key = `${typeof value === "number" ? value > 1 : "text"} ${name} ${type}`;
    const meaning = known.get(key) ?? resolveMeaning(name, meanings.get(name) ?? [], type, value);
    known.set(key, meaning);
    return { rank: meaning.rank, harm: toHarm(judge(value, meaning)) };
  };
}

/** How bad it is that a metric is out of its range. */
export type Harm = "none" | "warning" | "critical";
const harms: readonly Harm[] = ["critical", "warning", "none"];
const toHarm = (judgement: Judgement): Harm =>
  judgement === "critical" || judgement === "warning" ? judgement : "none";

interface Bounded {
  /** The metrics that can be out of their range. */
  names: string[];
  /** The worst of a device that is of this type and has these values of them. */
  judge: (values: Readonly<Record<string, unknown>>, type: string) => Harm;
}

/** The metrics of the organization that have bounds, by what is said or guessed of any type. */
export async function readBounded(ctx: Ctx): Promise<Bounded> {
  const sent = await query(
    ctx,
    { name: text },
    Prisma.sql`select name from metric_names where organization_id = ${ctx.organizationId} order by name`,
  );
  const all = sent.map(({ name }) => name);
  const meanings = await readMeanings(ctx, all);
  const isBounded = (bounds: MetricBounds | null) =>
    bounds !== null && boundNames.some((each) => bounds[each] !== null);
  const names = all.filter(
    (name) => isBounded(guessMeaning(name).bounds) || meanings.get(name)?.some(({ bounds }) => isBounded(bounds)),
  );
  const judgeOne = judgeBy(meanings);
  const judgeAll: Bounded["judge"] = (values, type) => {
    const found = new Set<Harm>();
    for (const [name, value] of Object.entries(values))
      if (typeof value === "number") found.add(judgeOne(name, value, type).harm);
    return harms.find((harm) => found.has(harm)) ?? "none";
  };
  return { names, judge: judgeAll };
}

/** Of each device the metric that comes first, null where it sends none; by one statement for all. */
async function choose(
  ctx: Ctx,
  devices: readonly Source[],
  compare: (a: ReturnType<Judge>, b: ReturnType<Judge>) => number,
): Promise<(MetricReading | null)[]> {
  const all = devices.map((device) => readValues(device));
  const meanings = await readMeanings(ctx, [...new Set(all.flatMap((values) => [...values.keys()]))]);
  const judgeOne = judgeBy(meanings);
  return devices.map(({ type }, at) => {
    const judged = [...(all[at] ?? [])].map(([name, value]) => ({ name, value, ...judgeOne(name, value, type) }));
    const [first] = judged.sort((a, b) => compare(a, b) || (a.name < b.name ? -1 : 1));
    return first ? toReading(first.name, first.value, meanings.get(first.name) ?? [], type) : null;
  });
}

/** Of each device the metric that is shown first for its type, null where it sends none; by one statement for all. */
export const readFirst = (ctx: Ctx, devices: readonly Source[]): Promise<(MetricReading | null)[]> =>
  choose(ctx, devices, (a, b) => a.rank - b.rank);

/** The same, but where metrics are out of their range the worst of them. */
export const readWorstOrFirst = (ctx: Ctx, devices: readonly Source[]): Promise<(MetricReading | null)[]> =>
  choose(ctx, devices, (a, b) => harms.indexOf(a.harm) - harms.indexOf(b.harm) || a.rank - b.rank);
