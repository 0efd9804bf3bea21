/** Which metrics of a device say where it is. Pure. */

/** The names of two metrics that are a place: degrees on earth, or metres in a frame of the robot's own. */
export interface PlaceNames {
  kind: "earth" | "local";
  /** Latitude, or y. */
  north: string;
  /** Longitude, or x. */
  east: string;
}

/** Ends of names that belong together, the better first. */
const pairs = [
  { kind: "earth", north: ["latitude", "lat"], east: ["longitude", "lon", "lng"] },
  { kind: "local", north: ["y"], east: ["x"] },
] as const;

const split = (name: string): { prefix: string; end: string } => {
  const at = Math.max(name.lastIndexOf("."), name.lastIndexOf("_"), name.lastIndexOf("-")) + 1;
  return { prefix: name.slice(0, at).toLowerCase(), end: name.slice(at).toLowerCase() };
};

/** Before `x` and `y`, which alone could be anything, stands one of these, or nothing. */
const localPrefix = /^$|(^|[._-])(pose|position|pos|odom|location)[._-]$/;

/** The first pair among these names that is a place; null for none. */
export function findPlaceNames(names: readonly string[]): PlaceNames | null {
  const parts = names.map((name) => ({ name, ...split(name) }));
  for (const { kind, north, east } of pairs) {
    for (const first of parts) {
      if (!north.some((end) => end === first.end)) continue;
      if (kind === "local" && !localPrefix.test(first.prefix)) continue;
      const second = parts.find(({ prefix, end }) => prefix === first.prefix && east.some((each) => each === end));
      if (second) return { kind, north: first.name, east: second.name };
    }
  }
  return null;
}
