import { expect } from "vitest";
import type { Channel } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";

/** A channel as the reader gives it, with a schema of the test's own. */
export function makeChannel(
  messageEncoding: string,
  schemaEncoding: string,
  schema: string | Uint8Array,
  schemaName = "pkg/Type",
): Channel {
  return { id: 0, topic: "/t", messageEncoding, schemaName, schemaEncoding, schemaData: Buffer.from(schema) };
}

export function ros1Channel(schema: string): Channel {
  return makeChannel("ros1", "ros1msg", schema);
}

export function ros2Channel(schema: string, name = "pkg/msg/Type"): Channel {
  return makeChannel("cdr", "ros2msg", schema, name);
}

/** Every scalar type, nesting, and arrays of known and unknown length; also a string between, to shift what follows. */
export const EVERYTHING = `bool flag
int8 a
uint8 b
string name
int16 c
uint16 d
int32 e
uint32 f
int64 g
uint64 h
float32 i
float64 j
pkg/Part part
pkg/Part[] parts
pkg/Part[2] pair
uint8[] bytes
float64[] doubles
float32[3] floats
int64[] longs
bool[] flags
string[] names
=====
MSG: pkg/Part
uint8 x
float64 y
string z
`;

/** Typed arrays as plain ones, so that two decoders can be compared by value. */
export function plain(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return Array.from(value as Uint8Array);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}

/** Runs a decoder on arbitrary bytes; only a RecordingError is allowed. */
export function expectDecodedOrRefused(...runs: (() => unknown)[]): void {
  for (const run of runs) {
    try {
      run();
    } catch (error) {
      expect(error).toBeInstanceOf(RecordingError);
    }
  }
}
