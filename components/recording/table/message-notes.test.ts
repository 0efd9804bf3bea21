import { expect, test } from "vitest";
import { listMessageNotes } from "./message-notes";

const logged = 1_770_000_000_000_000_000n;
const notes = (value: unknown, schema = "pkg/msg/Type") => listMessageNotes(schema, value, logged);

test("a stamp that nobody set, or of another clock, is named; a message without one has no note", () => {
  const unset = ["Stamp not set: the time of the log counts"];
  expect(notes({ header: { stamp: { sec: 0, nanosec: 0 } } })).toEqual(unset);
  expect(notes({ timestamp: { seconds: 0, nanos: 0 } })).toEqual(unset);
  expect(notes({ header: { stamp: { sec: 1_770_010_800, nsec: 0 } } })).toEqual([
    "Stamp 3 h off: the time of the log counts",
  ]);
  expect(notes({ timestamp: "2026-02-02T05:40:00Z" })).toEqual(["Stamp 3 h off: the time of the log counts"]);
  const fine = [
    { header: { stamp: { sec: 1_770_000_000, nanosec: 5 } } },
    { timestamp: 12.5 },
    { stamp: "slow" },
    {},
    5,
  ];
  expect(fine.map((value) => notes(value))).toEqual(fine.map(() => []));
});

test("sound is said not to be played", () => {
  const schemas = [
    "audio_common_msgs/msg/AudioData",
    "foxglove.RawAudio",
    "foxglove_msgs/msg/CompressedAudio",
    "pkg/A",
  ];
  expect(schemas.map((schema) => notes({}, schema).length)).toEqual([1, 1, 1, 0]);
});
