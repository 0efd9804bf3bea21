import { compose, mounts, type PlanePose } from "@/server/demo/frames";
import { castPallets, castRay, hall, palletSize, racks } from "@/server/demo/warehouse";

/** What a lidar's light meets, and how much of it returns. */
export const brightness = { floor: 20, wall: 60, rack: 110, pallet: 200 } as const;

/** The angles of the lidar's rings, in degrees above the horizon. */
const rings = [-24, -17, -12, -8, -5, -2.5, 0, 4];
const azimuths = 120;
const maxRange = 30;
const fields = ["x", "y", "z", "intensity"] as const;
const pointBytes = 4 * fields.length;
/** Lidars measure in steps, which also compress better than all the digits of a ray. */
const stepsPerMetre = 128;
const toSteps = (metres: number): number => Math.round(metres * stepsPerMetre) / stepsPerMetre;

interface Echo {
  distance: number;
  z: number;
  intensity: number;
}

/** What a ray at an elevation meets first of everything that stands in its way; null for what lies beyond. */
function findEcho(horizontal: ReturnType<typeof castHorizontally>, height: number, slope: number): Echo | null {
  const floor = slope < 0 ? -height / slope : Infinity;
  for (const { distance, top, intensity } of horizontal) {
    if (distance > floor) break;
    const z = height + slope * distance;
    if (z <= top) return { distance, z, intensity };
  }
  return floor < maxRange ? { distance: floor, z: 0, intensity: brightness.floor } : null;
}

/** The surfaces that a horizontal ray crosses, the nearest first. */
function castHorizontally({ x, y }: PlanePose, heading: number) {
  const [dx, dy] = [Math.cos(heading), Math.sin(heading)];
  const hit = castRay(x, y, dx, dy);
  const beyond = hit.rack
    ? { distance: hit.distance, top: racks.height, intensity: brightness.rack }
    : { distance: hit.distance, top: hall.height, intensity: brightness.wall };
  const before = castPallets(x, y, dx, dy)
    .filter(({ distance }) => distance < hit.distance)
    .reverse();
  return [
    ...before.map(({ distance }) => ({ distance, top: palletSize.height, intensity: brightness.pallet })),
    beyond,
  ];
}

/** The body of the cloud that a robot's lidar measures: points in the lidar's frame. */
export function measureCloud(robot: PlanePose): object {
  const pose = compose(robot, { ...mounts.lidar, yaw: 0 });
  const height = mounts.lidar.z;
  const values = new Float32Array(rings.length * azimuths * fields.length);
  let count = 0;
  for (let azimuth = 0; azimuth < azimuths; azimuth++) {
    const angle = (azimuth / azimuths) * 2 * Math.PI - Math.PI;
    const horizontal = castHorizontally(pose, pose.yaw + angle);
    for (const ring of rings) {
      const echo = findEcho(horizontal, height, Math.tan((ring * Math.PI) / 180));
      if (echo === null) continue;
      const place = [echo.distance * Math.cos(angle), echo.distance * Math.sin(angle), echo.z - height];
      values.set([...place.map(toSteps), echo.intensity], fields.length * count++);
    }
  }
  return {
    height: 1,
    width: count,
    fields: fields.map((name, n) => ({ name, offset: 4 * n, datatype: 7, count: 1 })),
    is_bigendian: false,
    point_step: pointBytes,
    row_step: pointBytes * count,
    data: new Uint8Array(values.buffer, 0, pointBytes * count),
    is_dense: true,
  };
}

const scanReach = { degrees: 135, min: 0.05, max: 25 } as const;

/** The body of what a robot's scanner measures ahead and aside, at the height of a hand above the floor. */
export function measureScan(robot: PlanePose): object {
  const pose = compose(robot, { ...mounts.scanner, yaw: 0 });
  const increment = Math.PI / 180;
  const count = 2 * scanReach.degrees + 1;
  const from = -scanReach.degrees * increment;
  const ranges = new Float32Array(count);
  for (let n = 0; n < count; n++) {
    const [nearest] = castHorizontally(pose, pose.yaw + from + n * increment);
    ranges[n] = toSteps(nearest!.distance);
  }
  return {
    angle_min: from,
    angle_max: -from,
    angle_increment: increment,
    time_increment: 0,
    scan_time: 0.1,
    range_min: scanReach.min,
    range_max: scanReach.max,
    ranges,
    intensities: new Float32Array(0),
  };
}
