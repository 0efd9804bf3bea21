import pMap from "p-map";
import { type FlatMetrics, type IgnoredMetric, ignoredReasons } from "@/domain/health/flatten";
import { healthLimits } from "@/domain/health/limits";
import {
  type DeviceList,
  getKnownList,
  type Grown,
  growLists,
  loadLists,
  type Places,
  type Refused,
  type Scope,
} from "@/server/features/health/list-service";
import { prisma } from "@/server/platform/db";

/** A text or boolean of a heartbeat; `fresh` when the device has never sent its name before. */
interface StateRow {
  name: number;
  path: readonly string[];
  value: string | boolean;
  fresh: boolean;
}

/** The metrics of a heartbeat as rows: `values` by position in the list, null where it has no number. */
export interface PointRow {
  list: number;
  values: (number | null)[];
  states: StateRow[];
  ignored: IgnoredMetric[];
}

/** Heartbeats of a device, by the metrics that each has. */
export interface DeviceMetrics {
  organizationId: string;
  uid: string;
  heartbeats: readonly FlatMetrics[];
}

/**
 * Finds where the metrics of heartbeats of many devices belong, and adds names that a device has not sent before; those
 * beyond the limits of device or organization are ignored. Rows for each device, one a heartbeat; null for those that do
 * not exist. Not within a transaction.
 */
export async function placeEach(devices: readonly DeviceMetrics[]): Promise<(PointRow[] | null)[]> {
  const missing = devices.filter((each) => !getKnownList(each));
  if (missing.length > 0) await loadLists(missing);
  const placed = new Map<DeviceMetrics, PointRow[] | null>();
  // Devices of one kind send the same names: their lists grow together.
  const growing = new Map<string, { names: string[]; devices: DeviceMetrics[] }>();
  for (const device of devices) {
    const names = listNames(device.heartbeats);
    const rows = placeInKnown(device, names);
    placed.set(device, rows);
    if (rows) continue;
    const kind = JSON.stringify([device.organizationId, names.toSorted()]);
    const group = growing.get(kind) ?? { names, devices: [] };
    group.devices.push(device);
    growing.set(kind, group);
  }
  const grow = async (group: { names: string[]; devices: DeviceMetrics[] }) => {
    const [{ organizationId }] = group.devices as [DeviceMetrics];
    const uids = group.devices.map(({ uid }) => uid);
    const grown = await growLists({ db: prisma, organizationId }, uids, group.names);
    for (const device of group.devices) placed.set(device, placeInGrown(device.heartbeats, grown.get(device.uid)));
  };
  await pMap(growing.values(), grow, { concurrency: 4 });
  return devices.map((device) => placed.get(device) ?? null);
}

/** The same for one device, in the transaction of `scope`, if it is one. */
export async function placeMetrics(
  scope: Scope,
  uid: string,
  heartbeats: readonly FlatMetrics[],
): Promise<PointRow[] | null> {
  const names = listNames(heartbeats);
  const known = placeInKnown({ organizationId: scope.organizationId, uid, heartbeats }, names);
  if (known) return known;
  return placeInGrown(heartbeats, (await growLists(scope, [uid], names)).get(uid));
}

function listNames(heartbeats: readonly FlatMetrics[]): string[] {
  const names = new Set<string>();
  for (const { numbers, states } of heartbeats) {
    for (const name of numbers.keys()) names.add(name);
    for (const name of states.keys()) names.add(name);
  }
  return [...names];
}

/** The rows of heartbeats of a device whose list has all names; else null. */
function placeInKnown(device: DeviceMetrics, names: readonly string[]): PointRow[] | null {
  const list = getKnownList(device);
  if (!list || !names.every((name) => list.places.has(name))) return null;
  return device.heartbeats.map((each) => toRow(each, list, list.places, new Map()));
}

const placeInGrown = (heartbeats: readonly FlatMetrics[], grown: Grown | undefined): PointRow[] | null =>
  grown ? heartbeats.map((each) => toRow(each, grown.list, grown.before, grown.refused)) : null;

function toRow(
  { numbers, states, ignored }: FlatMetrics,
  list: DeviceList,
  before: Places,
  refused: Refused,
): PointRow {
  const row: PointRow = { list: list.id, values: [], states: [], ignored: [...ignored] };
  const ignore = (name: string) => {
    const reason = refused.get(name);
    if (reason && row.ignored.length < healthLimits.ignored) row.ignored.push({ name, reason: ignoredReasons[reason] });
  };
  for (const [name, value] of numbers) {
    const place = list.places.get(name);
    if (!place) {
      ignore(name);
      continue;
    }
    while (row.values.length <= place.position) row.values.push(null);
    row.values[place.position] = value;
  }
  for (const [name, { path, value }] of states) {
    const place = list.places.get(name);
    if (place) row.states.push({ name: place.id, path, value, fresh: !before.has(name) });
    else ignore(name);
  }
  return row;
}
