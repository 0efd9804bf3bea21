import { readColour } from "@/engine/messages/colour";
import {
  readFields,
  readList,
  readNumber,
  toShortName,
  UnreadableMessage,
  type Fields,
} from "@/engine/messages/reading";

/** Where a receiver of satellites saw itself. */
export interface Fix {
  /** Degrees. */
  latitude: number;
  longitude: number;
  /** Metres above the ellipsoid; null when it is not known. */
  altitude: number | null;
}

const schemas: ReadonlySet<string> = new Set([
  "sensor_msgs/NavSatFix",
  "foxglove.LocationFix",
  "gps_common/GPSFix",
  "geographic_msgs/GeoPoint",
  "geographic_msgs/GeoPointStamped",
  "geographic_msgs/GeoPoseStamped",
]);

/** Where messages hold their latitude and longitude: at the top, or in a part of theirs. */
export const placePrefixes: readonly string[] = ["", "position.", "pose.position."];

export const isFixSchema = (schemaName: string): boolean => schemas.has(toShortName(schemaName));

/**
 * The fix of a message; null when the receiver had none: its status says so, or it sent no numbers, or zeros. Throws
 * UnreadableMessage for what is no fix, and for places that are not on earth.
 */
export function readFix(value: unknown): Fix | null {
  const fields = descend(readFields(value));
  return describeUnfixed(fields["status"]) === null ? readPlace(fields) : null;
}

/** Where a message says it is, whatever its status; null for what is no place. */
function readPlace(fields: Fields): Fix | null {
  const [latitude, longitude] = [readCoordinate(fields, "latitude"), readCoordinate(fields, "longitude")];
  if (latitude === null || longitude === null || (latitude === 0 && longitude === 0)) return null;
  if (!isOnEarth(latitude, longitude)) throw new UnreadableMessage(`${latitude}, ${longitude} is no place on earth.`);
  return { latitude, longitude, altitude: "altitude" in fields ? readCoordinate(fields, "altitude") : null };
}

/** The part of a message that holds its place. */
function descend(fields: Fields): Fields {
  if ("latitude" in fields) return fields;
  const pose = "pose" in fields ? readFields(fields["pose"]) : fields;
  return "position" in pose ? readFields(pose["position"]) : fields;
}

/** An ellipse around a place on the ground, metres and radians. */
interface Accuracy {
  /** Half of each axis. */
  longer: number;
  shorter: number;
  /** Of the longer axis, from east towards north. */
  turn: number;
}

/** A fix with what its message says beyond the place. */
export interface FixDetails extends Fix {
  /** Two standard deviations; null when it is not known. */
  accuracy: Accuracy | null;
  /** Radians clockwise from north; null when it is not known. */
  heading: number | null;
  /** Metres a second; null when it is not known. */
  speed: number | null;
  /** As CSS writes it; null when the message names none that can be seen. */
  colour: string | null;
  /** Why the place counts for nothing, in a few words; null for a fix. */
  unfixed: string | null;
}

/** The place of a message with all that it says of it, also one without a fix; null without a place. Throws as `readFix` does. */
export function readFixDetails(value: unknown): FixDetails | null {
  const fields = readFields(value);
  const holder = descend(fields);
  const place = readPlace(holder);
  return (
    place && {
      ...place,
      accuracy: readAccuracy(fields),
      heading: readHeading(fields),
      speed: readSpeed(fields),
      colour: readCssColour(fields["color"]),
      unfixed: describeUnfixed(holder["status"]),
    }
  );
}

/** Of `velocity` in Foxglove's fixes, and `speed` in GPSFix. */
function readSpeed(fields: Fields): number | null {
  const { velocity, speed } = fields;
  const isVector = typeof velocity === "object" && velocity !== null;
  const parts = isVector ? ["x", "y", "z"].map((name) => Number(readFields(velocity)[name] ?? 0)) : [];
  const number = isVector ? Math.hypot(...parts) : speed;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

function readCssColour(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return null;
  const [red, green, blue, alpha] = readColour(value);
  // In formats that leave out nothing, black and transparent is one that nobody set.
  return alpha === 0 ? null : `rgb(${[red, green, blue].map((part) => Math.round(part * 255)).join(" ")} / ${alpha})`;
}

/** From the covariance in m², east, north and up; unknown where its type says so, or it is all zeros. */
function readAccuracy(fields: Fields): Accuracy | null {
  const type = fields["position_covariance_type"];
  const covariance = readList(fields, "position_covariance");
  const [xx, xy, yy] = [Number(covariance[0]), Number(covariance[1]), Number(covariance[4])];
  const [middle, apart] = [(xx + yy) / 2, Math.hypot((xx - yy) / 2, xy)];
  const isKnown = type !== 0 && type !== "UNKNOWN" && xx >= 0 && yy >= 0 && middle > 0;
  if (!isKnown || !Number.isFinite(middle + apart)) return null;
  return {
    longer: 2 * Math.sqrt(middle + apart),
    shorter: 2 * Math.sqrt(Math.max(0, middle - apart)),
    turn: Math.atan2(2 * xy, xx - yy) / 2,
  };
}

/** `heading` of Foxglove's fixes and `track` of GPSFix, degrees clockwise from north. */
function readHeading(fields: Fields): number | null {
  const degrees = fields["heading"] ?? fields["track"];
  return typeof degrees === "number" && Number.isFinite(degrees) ? (degrees * Math.PI) / 180 : null;
}

/** Whether these are degrees of a place; receivers without a fix send zeros. */
export const isPlace = (latitude: number, longitude: number): boolean =>
  isOnEarth(latitude, longitude) && (latitude !== 0 || longitude !== 0);

const isOnEarth = (latitude: number, longitude: number): boolean =>
  Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;

/** `status.status` is −1 without a fix and −2 when nobody set it; messages without a status have one. */
function describeUnfixed(status: unknown): string | null {
  if (typeof status !== "object" || status === null || !("status" in status)) return null;
  const number = Number(status.status);
  return number === -2 ? "status not set" : number < 0 ? "no fix" : null;
}

/** A number; null for one that is not known, which is sent as NaN. */
function readCoordinate(fields: Fields, name: string): number | null {
  const value = fields[name];
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  const number = readNumber(fields, name);
  return Number.isFinite(number) ? number : null;
}
