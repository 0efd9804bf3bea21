import { findJsonError } from "@/engine/messages/json-error";
import { Notes } from "@/engine/messages/notes";
import { readFixDetails } from "@/engine/messages/positions/fix";
import { readFields, readList, readText, toShortName, UnreadableMessage, type Fields } from "@/engine/messages/reading";

/** How a feature is drawn; null leaves it to the map. Colours as CSS writes them, unchecked. */
export interface FeatureStyle {
  colour: string | null;
  fill: string | null;
  /** Pixels. */
  width: number | null;
  /** 0 to 1. */
  opacity: number | null;
  fillOpacity: number | null;
}

/** Something on a map: points, a line, or an area with its holes. */
export interface MapShape {
  kind: "points" | "line" | "area";
  /** Of each part: longitude and latitude of each corner, degrees. */
  parts: Float64Array[];
  style: FeatureStyle;
}

export interface MapFeatures {
  shapes: MapShape[];
  notes: string[];
}

const adapters: Readonly<Record<string, (value: unknown) => MapFeatures>> = {
  "foxglove.GeoJSON": readGeoJson,
  "foxglove.LocationFixes": readLocationFixes,
};

const schemas: readonly string[] = ["foxglove.GeoJSON", "foxglove.LocationFixes"];

/** Whether messages draw on maps. */
export const isFeatureSchema = (schemaName: string): boolean => schemas.includes(toShortName(schemaName));

/** What reads the features that messages of a schema draw on maps; null for other schemas. */
export function findFeatureAdapter(schemaName: string): ((value: unknown) => MapFeatures) | null {
  const name = toShortName(schemaName);
  return Object.hasOwn(adapters, name) ? (adapters[name] ?? null) : null;
}

const maxText = 5 * 1024 * 1024;
/** Corners of all features of a message. */
const maxCorners = 200_000;
const maxDepth = 8;

const plain: FeatureStyle = { colour: null, fill: null, width: null, opacity: null, fillOpacity: null };

/** A `foxglove.GeoJSON`. Throws UnreadableMessage for what is no GeoJSON, or too much of it. */
function readGeoJson(value: unknown): MapFeatures {
  const text = readText(readFields(value), "geojson");
  if (text.length > maxText)
    throw new UnreadableMessage(
      `The GeoJSON has ${(text.length / 1024 / 1024).toFixed(1)} MiB; at most 5 MiB are drawn.`,
    );
  const reading = new GeoJsonReading();
  reading.read(parse(text), plain, 0);
  return { shapes: reading.shapes, notes: reading.notes.list() };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const at = findJsonError(text);
    throw new UnreadableMessage(`not GeoJSON: Unexpected ${at < text.length ? "token" : "end"} at ${at}`);
  }
}

/** What a GeoJSON object holds, feature by feature. */
class GeoJsonReading {
  readonly shapes: MapShape[] = [];
  readonly notes = new Notes();
  private corners = 0;

  read(value: unknown, style: FeatureStyle, depth: number): void {
    if (depth > maxDepth) throw new UnreadableMessage(`The GeoJSON is nested more than ${maxDepth} deep.`);
    const object = readFields(value);
    switch (object.type) {
      case "FeatureCollection":
        for (const each of Array.from(readList(object, "features"))) this.read(each, style, depth + 1);
        break;
      case "Feature":
        if (object.geometry !== null) this.read(object.geometry, readStyle(object.properties), depth + 1);
        break;
      case "GeometryCollection":
        for (const each of Array.from(readList(object, "geometries"))) this.read(each, style, depth + 1);
        break;
      default:
        this.readGeometry(object, style);
    }
  }

  private readGeometry({ type, coordinates }: Fields, style: FeatureStyle): void {
    switch (type) {
      case "Point":
        return this.add("points", [[coordinates]], style);
      case "MultiPoint":
        return this.add("points", [coordinates], style);
      case "LineString":
        return this.add("line", [coordinates], style);
      case "MultiLineString":
        return this.add("line", toList(coordinates), style);
      case "Polygon":
        return this.add("area", toList(coordinates), style);
      case "MultiPolygon":
        return toList(coordinates).forEach((area) => this.add("area", toList(area), style));
      default:
        throw new UnreadableMessage(`The GeoJSON has an object of the unknown type "${String(type).slice(0, 40)}".`);
    }
  }

  private add(kind: MapShape["kind"], lists: readonly unknown[], style: FeatureStyle): void {
    const parts = lists.map((list) => this.readCorners(toList(list))).filter(({ length }) => length > 0);
    if (parts.length > 0) this.shapes.push({ kind, parts, style });
  }

  private readCorners(list: readonly unknown[]): Float64Array {
    this.corners += list.length;
    if (this.corners > maxCorners)
      throw new UnreadableMessage(`The GeoJSON has more than ${maxCorners.toLocaleString("en")} positions.`);
    const corners: number[] = [];
    for (const each of list) {
      const [longitude, latitude] = toList(each);
      if (isDegrees(longitude, 540) && isDegrees(latitude, 90)) corners.push(longitude, latitude);
      else this.notes.count("position that is no place on earth", "positions that are no place on earth");
    }
    return Float64Array.from(corners);
  }
}

const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Features that cross the antimeridian may go beyond 180°. */
const isDegrees = (value: unknown, most: number): value is number =>
  typeof value === "number" && Math.abs(value) <= most;

/** `style` of a feature's properties, with the names that paths of Leaflet have. */
function readStyle(properties: unknown): FeatureStyle {
  const style = toObject(toObject(properties).style);
  const text = (name: string) => (typeof style[name] === "string" ? style[name] : null);
  const number = (name: string, most: number) => {
    // Leaflet takes texts too.
    const value = typeof style[name] === "string" ? Number.parseFloat(style[name]) : style[name];
    return typeof value === "number" && value >= 0 ? Math.min(value, most) : null;
  };
  return {
    colour: text("color"),
    fill: text("fillColor"),
    width: number("weight", 40),
    opacity: number("opacity", 1),
    fillOpacity: number("fillOpacity", 1),
  };
}

const toObject = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});

/** A `foxglove.LocationFixes`: a point for each that has a place. */
function readLocationFixes(value: unknown): MapFeatures {
  const notes = new Notes();
  const shapes = Array.from(readList(readFields(value), "fixes")).flatMap((each): MapShape[] => {
    try {
      const fix = readFixDetails(each);
      if (fix?.unfixed === null) {
        const style = { ...plain, colour: fix.colour };
        return [{ kind: "points", parts: [Float64Array.of(fix.longitude, fix.latitude)], style }];
      }
      notes.count("position without a fix", "positions without a fix");
    } catch (error) {
      if (!(error instanceof UnreadableMessage)) throw error;
      notes.count("position that is no place on earth", "positions that are no place on earth");
    }
    return [];
  });
  return { shapes, notes: notes.list() };
}
