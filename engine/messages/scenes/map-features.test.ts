import { expect, test } from "vitest";
import { readFix, readFixDetails } from "@/engine/messages/positions/fix";
import { findFeatureAdapter, isFeatureSchema } from "@/engine/messages/scenes/map-features";

const read = (geojson: unknown) =>
  findFeatureAdapter("foxglove_msgs/msg/GeoJSON")!({
    geojson: typeof geojson === "string" ? geojson : JSON.stringify(geojson),
  });
const feature = (geometry: object, style = {}) => ({ type: "Feature", properties: { style }, geometry });

test("geometries of all kinds are drawn, with the style of their feature", () => {
  const ring = [
    [8, 47],
    [8.1, 47],
    [8.1, 47.1],
    [8, 47],
  ];
  const { shapes, notes } = read({
    type: "FeatureCollection",
    features: [
      feature({ type: "Point", coordinates: [8, 47, 400] }, { color: "#f00", weight: "3", opacity: 2, fillColor: 7 }),
      feature({ type: "MultiLineString", coordinates: [ring, ring] }),
      feature({ type: "MultiPolygon", coordinates: [[ring, ring], [ring]] }),
      feature({ type: "GeometryCollection", geometries: [{ type: "LineString", coordinates: ring }] }),
      { type: "Feature", properties: null, geometry: null },
    ],
  });
  expect(shapes.map(({ kind, parts }) => [kind, parts.length])).toEqual([
    ["points", 1],
    ["line", 2],
    ["area", 2],
    ["area", 1],
    ["line", 1],
  ]);
  expect(shapes[0]).toMatchObject({
    parts: [Float64Array.of(8, 47)],
    style: { colour: "#f00", fill: null, width: 3, opacity: 1, fillOpacity: null },
  });
  expect(notes).toEqual([]);
});

test.each([
  ["no JSON", "{broken", "not GeoJSON: Unexpected token at 1"],
  ["half of it", '{"type": "Point", "coordinates": [8,', "not GeoJSON: Unexpected end at 36"],
  ["a text", '"text"', "The message is not an object."],
  ["an unknown type", { type: "Circle" }, 'The GeoJSON has an object of the unknown type "Circle".'],
  ["more than 5 MiB", "x".repeat(6 * 1024 * 1024), "The GeoJSON has 6.0 MiB; at most 5 MiB are drawn."],
  ["too many positions", { type: "MultiPoint", coordinates: Array(200_001).fill([0, 0]) }, /more than 200,000/],
  [
    "endless nesting",
    Array.from({ length: 20 }).reduce<object>((inner) => ({ type: "FeatureCollection", features: [inner] }), {}),
    "nested more than 8 deep",
  ],
])("%s is refused with its reason", (_name, geojson, reason) => expect(() => read(geojson)).toThrow(reason));

test("positions that are none are left out and counted", () => {
  const { shapes, notes } = read({ type: "LineString", coordinates: [[8, 47], [8, 91], ["8", 47], null, [9, 47]] });
  expect(shapes[0]!.parts).toEqual([Float64Array.of(8, 47, 9, 47)]);
  expect(notes).toEqual(["3 positions that are no place on earth"]);
});

test("lists of fixes are points", () => {
  expect(isFeatureSchema("foxglove.LocationFixes")).toBe(true);
  const { shapes, notes } = findFeatureAdapter("foxglove.LocationFixes")!({
    fixes: [
      { latitude: 47, longitude: 8 },
      { latitude: 0, longitude: 0 },
      { latitude: 200, longitude: 8 },
    ],
  });
  expect(shapes.map(({ parts }) => parts[0])).toEqual([Float64Array.of(8, 47)]);
  expect(notes).toEqual(["1 position without a fix", "1 position that is no place on earth"]);
});

test("a fix says how accurate it is, and where it is headed", () => {
  const place = { latitude: 47, longitude: 8 };
  // Four times as uncertain to the north-east as across.
  const covariance = [2.5, 1.5, 0, 1.5, 2.5, 0, 0, 0, 9];
  const details = readFixDetails({
    ...place,
    position_covariance: covariance,
    position_covariance_type: 3,
    heading: 90,
  });
  expect(details?.accuracy?.longer).toBeCloseTo(4, 9);
  expect(details?.accuracy?.shorter).toBeCloseTo(2, 9);
  expect(details?.accuracy?.turn).toBeCloseTo(Math.PI / 4, 9);
  expect(details?.heading).toBeCloseTo(Math.PI / 2, 9);
  for (const unknown of [{}, { position_covariance: covariance, position_covariance_type: 0 }])
    expect(readFixDetails({ ...place, ...unknown })).toMatchObject({
      accuracy: null,
      heading: null,
      speed: null,
      colour: null,
      unfixed: null,
    });
  const odd = { ...place, position_covariance: [Number.NaN, 0, 0, 0, 1], position_covariance_type: 2 };
  expect(readFixDetails(odd)?.accuracy).toBeNull();
  expect(readFixDetails({ ...place, status: { status: -1 } })).toMatchObject({ ...place, unfixed: "no fix" });
  expect(readFixDetails({ ...place, status: { status: -2 } })).toMatchObject({ ...place, unfixed: "status not set" });
  expect(readFixDetails({ latitude: 0, longitude: 0, status: { status: -1 } })).toBeNull();
});

test("a fix of Foxglove has a velocity and a colour of its own, one of gps_common a speed", () => {
  const place = { latitude: 47, longitude: 8 };
  const color = { r: 1, g: 0.5, b: 0, a: 1 };
  expect(readFixDetails({ ...place, velocity: { x: 2, y: 3, z: 6 }, color })).toMatchObject({
    speed: 7,
    colour: "rgb(255 128 0 / 1)",
  });
  expect(readFixDetails({ ...place, speed: 1.5, track: 180 })).toMatchObject({ speed: 1.5, heading: Math.PI });
  expect(readFixDetails({ ...place, color: { r: 0, g: 0, b: 0, a: 0 } })?.colour).toBeNull();
  const { shapes } = findFeatureAdapter("foxglove.LocationFixes")!({
    fixes: [
      { ...place, color },
      { ...place, status: { status: -1 } },
    ],
  });
  expect(shapes.map(({ style }) => style.colour)).toEqual(["rgb(255 128 0 / 1)"]);
});

test("points and poses of geographic_msgs have their place within", () => {
  const position = { latitude: 47, longitude: 8, altitude: 400 };
  for (const message of [position, { header: {}, position }, { header: {}, pose: { position, orientation: {} } }])
    expect(readFix(message)).toEqual({ latitude: 47, longitude: 8, altitude: 400 });
});
