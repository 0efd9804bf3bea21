export interface Pose {
  x: number;
  y: number;
  z: number;
  yaw: number;
}

/** The way of a mobile robot: a rectangle of aisles with round corners, in metres. */
export const way = { x: 12.2, y: 3, corner: 1.4, speed: 0.8 } as const;
const straight = { x: 2 * (way.x - way.corner), y: 2 * (way.y - way.corner) } as const;
const bend = (way.corner * Math.PI) / 2;
const lap = 2 * (straight.x + straight.y + 2 * bend);

/** Where a mobile robot is after so many metres of its way, counterclockwise from the corner at the lower left. */
export function followAisles(metres: number): Pose {
  let left = ((metres % lap) + lap) % lap;
  const [cornerX, cornerY] = [way.x - way.corner, way.y - way.corner];
  for (let side = 0; ; side = (side + 1) % 4) {
    const yaw = (side * Math.PI) / 2;
    const [dx, dy] = [Math.round(Math.cos(yaw)), Math.round(Math.sin(yaw))];
    const length = dx === 0 ? straight.y : straight.x;
    // The straight part lies outside of the corner's centres, to the right of the heading.
    const along = Math.min(left, length) - length / 2;
    const across = dx === 0 ? way.x : way.y;
    if (left <= length) return { x: dx * along + dy * across, y: dy * along - dx * across, z: 0, yaw };
    left -= length;
    const [centerX, centerY] = [dx * cornerX + dy * cornerX, dy * cornerY - dx * cornerY];
    if (left <= bend) {
      const turned = yaw + left / way.corner;
      const [x, y] = [centerX + way.corner * Math.sin(turned), centerY - way.corner * Math.cos(turned)];
      return { x, y, z: 0, yaw: turned };
    }
    left -= bend;
  }
}

/** By how much a mobile robot has turned to the left on so many metres of its way, in radians. */
export const turnedOnWay = (metres: number): number =>
  2 * Math.PI * Math.floor(metres / lap) + followAisles(metres).yaw;

/** How fast it turns there while it drives, in radians per second. */
export const turnRate = (metres: number): number =>
  (turnedOnWay(metres + 0.01) - turnedOnWay(metres - 0.01)) * (way.speed / 0.02);

/** Metres of a whole round. */
export const lapLength = lap;
