import { expect, test } from "vitest";
import { placeOnEarth, readDatum } from "@/engine/messages/positions/datum";

test("a datum is a place, or a topic; anything else is none", () => {
  const datum = { latitude: 47, longitude: 8, yaw: 0 };
  expect(readDatum({ lat: 47, lon: 8 })).toEqual({ kind: "place", datum });
  expect(readDatum({ lat: 47, lon: 8, yaw: -1.5 })).toEqual({ kind: "place", datum: { ...datum, yaw: -1.5 } });
  expect(readDatum({ topic: "/gps/datum", yaw: 1 })).toEqual({ kind: "topic", topic: "/gps/datum", yaw: 1 });
  for (const none of [
    null,
    "47, 8",
    {},
    { lat: 91, lon: 8 },
    { lat: 47 },
    { lat: 47, lon: 8, yaw: "east" },
    { topic: "" },
  ])
    expect(readDatum(none)).toBeNull();
});

test("a nautical mile to the north is about a minute, and on the equator one to the east, too", () => {
  const equator = placeOnEarth({ latitude: 0, longitude: 0, yaw: 0 });
  // A degree of the equator: 2π × 6,378,137 m ÷ 360; of a meridian there: 110,574 m.
  expect(equator(111_319.49, 0).longitude).toBeCloseTo(1, 5);
  expect(equator(0, 110_574.28).latitude).toBeCloseTo(1, 5);
  // At 60 degrees north a degree to the east is 55,800 m long, one to the north 111,412 m.
  const north = placeOnEarth({ latitude: 60, longitude: 10, yaw: 0 });
  expect(north(55_800, 0).longitude).toBeCloseTo(11, 4);
  expect(north(0, 111_412).latitude).toBeCloseTo(61, 4);
});

test("the frame is turned by its yaw, and goes on across the antimeridian", () => {
  const turned = placeOnEarth({ latitude: 0, longitude: 0, yaw: Math.PI / 2 });
  const { latitude, longitude } = turned(110_574.28, 0);
  expect([latitude, longitude]).toEqual([expect.closeTo(1, 5), expect.closeTo(0, 9)]);
  expect(turned(0, 111_319.49).longitude).toBeCloseTo(-1, 5);
  const edge = placeOnEarth({ latitude: 0, longitude: 179.5, yaw: 0 });
  expect(edge(111_319.49, 0).longitude).toBeCloseTo(-179.5, 5);
});
