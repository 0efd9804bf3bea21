import { flattenMetrics } from "@/domain/health/flatten";
import { formatMetric, judge, resolveMeaning, type MetricValue, type SavedMeaning } from "@/domain/health/meanings";
import type { MetricReading } from "@/server/features/devices/resource";
import { readMeanings } from "@/server/features/health/meaning-service";
import type { Ctx } from "@/server/platform/context";

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

/** Of each device the metric that is shown first for its type, null where it sends none; by one statement for all. */
export async function readFirst(ctx: Ctx, devices: readonly Source[]): Promise<(MetricReading | null)[]> {
  const all = devices.map((device) => readValues(device));
  const meanings = await readMeanings(ctx, [...new Set(all.flatMap((values) => [...values.keys()]))]);
  // Devices of a type mostly send the same, and a rank follows from little of it.
  const ranks = new Map<string, number>();
  const rank = (name: string, value: MetricValue, type: string): number => {
    const key = `${typeof value === "number"} ${name} ${type}`;
    const known = ranks.get(key) ?? resolveMeaning(name, meanings.get(name) ?? [], type, value).rank;
    ranks.set(key, known);
    return known;
  };
  return devices.map(({ type }, at) => {
    const ranked = [...(all[at] ?? [])].map(([name, value]) => ({ name, value, rank: rank(name, value, type) }));
    const [first] = ranked.sort((a, b) => a.rank - b.rank || (a.name < b.name ? -1 : 1));
    return first ? toReading(first.name, first.value, meanings.get(first.name) ?? [], type) : null;
  });
}
