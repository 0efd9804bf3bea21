/** Where the origin of a robot's own frame is on earth, and how it is turned. */
export interface Datum {
  /** Degrees. */
  latitude: number;
  longitude: number;
  /** Radians from east to the x axis of the frame, counter-clockwise. */
  yaw: number;
}

/** What names one: the place itself, or a topic of a receiver whose first place it is. */
export type DatumSource = { kind: "place"; datum: Datum } | { kind: "topic"; topic: string; yaw: number };

const isNumber = (value: unknown, most: number): value is number =>
  typeof value === "number" && Number.isFinite(value) && Math.abs(value) <= most;

/** What the metadata of a device say of its datum; null where that is none. */
export const readDeviceDatum = (metadata: unknown): DatumSource | null =>
  typeof metadata === "object" && metadata !== null && "datum" in metadata ? readDatum(metadata.datum) : null;

/** `datum` of a device's metadata: `{lat, lon, yaw}` or `{topic, yaw}`; without a yaw, x is east. Null for anything else. */
export function readDatum(value: unknown): DatumSource | null {
  if (typeof value !== "object" || value === null) return null;
  const { lat, lon, topic, yaw = 0 } = value as Readonly<Record<string, unknown>>;
  if (!isNumber(yaw, Infinity)) return null;
  if (typeof topic === "string" && topic !== "") return { kind: "topic", topic, yaw };
  if (!isNumber(lat, 90) || !isNumber(lon, 180)) return null;
  return { kind: "place", datum: { latitude: lat, longitude: lon, yaw } };
}

/** The WGS 84 ellipsoid: its greatest radius in metres, and the square of its eccentricity. */
export const earthRadius = 6_378_137;
const eccentricity2 = 0.006_694_379_990_14;

const toRadians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Metres of a degree to the north and to the east, at a latitude. */
export function measureDegree(latitude: number): { north: number; east: number } {
  const sine = Math.sin(toRadians(latitude));
  const flat = 1 - eccentricity2 * sine * sine;
  // The radii of curvature along the meridian and across it.
  return {
    north: toRadians((earthRadius * (1 - eccentricity2)) / flat ** 1.5),
    east: toRadians((earthRadius / Math.sqrt(flat)) * Math.cos(toRadians(latitude))),
  };
}

/** Where metres of a frame are on earth: a thousandth off 50 km away from its origin. */
export function placeOnEarth(datum: Datum): (x: number, y: number) => { latitude: number; longitude: number } {
  const degree = measureDegree(datum.latitude);
  const [cosine, sine] = [Math.cos(datum.yaw), Math.sin(datum.yaw)];
  return (x, y) => ({
    latitude: datum.latitude + (x * sine + y * cosine) / degree.north,
    longitude: wrap(datum.longitude + (x * cosine - y * sine) / degree.east),
  });
}

const wrap = (degrees: number): number =>
  Math.abs(degrees) <= 180 ? degrees : ((((degrees + 180) % 360) + 360) % 360) - 180;
