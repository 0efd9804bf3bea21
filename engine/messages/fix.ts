import { readNumber, toShortName, UnreadableMessage, type Fields, readFields } from "@/engine/messages/reading";

/** Where a receiver of satellites saw itself. */
export interface Fix {
  /** Degrees. */
  latitude: number;
  longitude: number;
  /** Metres above the ellipsoid; null when it is not known. */
  altitude: number | null;
}

const schemas: ReadonlySet<string> = new Set(["sensor_msgs/NavSatFix", "foxglove.LocationFix", "gps_common/GPSFix"]);

export const isFixSchema = (schemaName: string): boolean => schemas.has(toShortName(schemaName));

/**
 * The fix of a message; null when the receiver had none: its status says so, or it sent no numbers, or zeros. Throws
 * UnreadableMessage for what is no fix, and for places that are not on earth.
 */
export function readFix(value: unknown): Fix | null {
  const fields = readFields(value);
  if (!hasFix(fields["status"])) return null;
  const [latitude, longitude] = [readCoordinate(fields, "latitude"), readCoordinate(fields, "longitude")];
  if (latitude === null || longitude === null || (latitude === 0 && longitude === 0)) return null;
  if (!isOnEarth(latitude, longitude)) throw new UnreadableMessage(`${latitude}, ${longitude} is no place on earth.`);
  return { latitude, longitude, altitude: "altitude" in fields ? readCoordinate(fields, "altitude") : null };
}

/** Whether these are degrees of a place; receivers without a fix send zeros. */
export const isPlace = (latitude: number, longitude: number): boolean =>
  isOnEarth(latitude, longitude) && (latitude !== 0 || longitude !== 0);

const isOnEarth = (latitude: number, longitude: number): boolean =>
  Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;

/** `status.status` is −1 without a fix and −2 when nobody set it; messages without a status have one. */
function hasFix(status: unknown): boolean {
  if (typeof status !== "object" || status === null || !("status" in status)) return true;
  return !(Number(status.status) < 0);
}

/** A number; null for one that is not known, which is sent as NaN. */
function readCoordinate(fields: Fields, name: string): number | null {
  const value = fields[name];
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  const number = readNumber(fields, name);
  return Number.isFinite(number) ? number : null;
}
