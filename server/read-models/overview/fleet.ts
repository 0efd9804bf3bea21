import type { ShownRows } from "@/domain/demo/schema";
import { deviceStatuses } from "@/domain/devices/connectivity";
import { severities, severitiesWorstFirst } from "@/domain/severity";
import type { Ctx } from "@/server/platform/context";
import { isFine, rankRobots, readMemberships, type RankedRobot } from "@/server/read-models/overview/ranking";
import { readRobotRows, type RobotRow } from "@/server/read-models/overview/robots";

/** What a robot counts as in the bar of its group: its worst open alert, a metric out of its range, or its status. */
const tones = [...severities, "unhealthy", ...deviceStatuses] as const;
type FleetTone = (typeof tones)[number];

interface FleetGroup {
  /** Null: those that are in no group. */
  uid: string | null;
  name: string;
  /** The groups around it, the outermost first; empty for none. */
  path: string;
  total: number;
  /** Of them, how many need nobody. */
  fine: number;
  counts: Partial<Record<FleetTone, number>>;
}

export interface Fleet {
  size: number;
  /** How many need nobody, and of them how many are in maintenance. */
  fine: number;
  maintenance: number;
  /** The others, those first that need somebody most; none in a fleet that is shown by group. */
  robots: RobotRow[];
  /** Of a large fleet, the worst first. A robot is counted in each group that it is in. */
  groups: FleetGroup[];
  /** How many groups there are beside those. */
  more_groups: number;
}

/** Above this, a fleet is shown by group. */
const maxRobots = 60;
const maxGroups = 50;

const toTone = ({ worst, harm, status }: RankedRobot): FleetTone => worst ?? (harm === "none" ? status : "unhealthy");

/** From the worst: what the order of groups compares, one after the other. */
const worstFirst: readonly FleetTone[] = [...severitiesWorstFirst, "unhealthy", "offline"];

function compareGroups(a: FleetGroup, b: FleetGroup): number {
  const tone = worstFirst.find((each) => (a.counts[each] ?? 0) !== (b.counts[each] ?? 0));
  if (tone !== undefined) return (b.counts[tone] ?? 0) - (a.counts[tone] ?? 0);
  return b.total - a.total || a.name.localeCompare(b.name) || (a.uid ?? "").localeCompare(b.uid ?? "");
}

async function countByGroup(ctx: Ctx, robots: readonly RankedRobot[]): Promise<FleetGroup[]> {
  const left = new Map(robots.map((robot) => [robot.uid, robot]));
  const byUid = new Map(left);
  const groups = new Map<string | null, FleetGroup>();
  const count = (group: Pick<FleetGroup, "uid" | "name" | "path">, robot: RankedRobot) => {
    const known = groups.get(group.uid) ?? { ...group, total: 0, fine: 0, counts: {} };
    const tone = toTone(robot);
    known.total += 1;
    known.fine += isFine(robot) ? 1 : 0;
    known.counts[tone] = (known.counts[tone] ?? 0) + 1;
    groups.set(group.uid, known);
  };
  for (const { uid, name, path, device_id: device } of await readMemberships(ctx)) {
    const robot = byUid.get(device);
    if (!robot) continue;
    left.delete(device);
    count({ uid, name, path }, robot);
  }
  for (const robot of left.values()) count({ uid: null, name: "", path: "" }, robot);
  return [...groups.values()].sort(compareGroups);
}

/** The fleet by robot, or by group where it has more than 60 robots. */
export async function readFleet(ctx: Ctx, shown: ShownRows): Promise<Fleet> {
  const robots = await rankRobots(ctx, shown);
  const fine = robots.filter(isFine);
  const isLarge = robots.length > maxRobots;
  const groups = isLarge ? await countByGroup(ctx, robots) : [];
  const needy = isLarge ? [] : robots.filter((robot) => !isFine(robot));
  return {
    size: robots.length,
    fine: fine.length,
    maintenance: fine.filter(({ status }) => status === "maintenance").length,
    robots: await readRobotRows(ctx, needy),
    groups: groups.slice(0, maxGroups),
    more_groups: Math.max(0, groups.length - maxGroups),
  };
}
