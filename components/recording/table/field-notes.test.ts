import { expect, test } from "vitest";
import { createNoteValue } from "./field-notes";

const fields = [
  { path: "voltage", kind: "number", unit: "V" },
  { path: "status", kind: "enum", values: { 2: "DISCHARGING" } },
  { path: "name", kind: "string" },
];

test("values have their unit, or the name of their constant; an unknown constant stays a number", () => {
  const note = createNoteValue({ schema: "pkg/Battery", fields }, {});
  expect(note("voltage", 24.5)).toEqual({ text: "24.5", note: "V" });
  expect(note("status", 2)).toEqual({ text: "2", note: "DISCHARGING" });
  expect(note("status", 9)).toEqual({ text: "9", note: null });
  expect(note("other", true)).toEqual({ text: "true", note: null });
});

test("numbers that JSON cannot write are no texts, and texts that look like them stay texts", () => {
  const note = createNoteValue({ schema: "pkg/Battery", fields }, {});
  expect(note("temperature", "NaN").text).toBe("NaN");
  expect(note("voltage", "-Infinity").text).toBe("−Infinity");
  expect(note("name", "NaN").text).toBe('"NaN"');
});

test("numbers of a list have the labels of its layout", () => {
  const layout = { dim: [{ label: "joints", size: 3, stride: 3 }], data_offset: 0 };
  const note = createNoteValue({ schema: "std_msgs/msg/Float64MultiArray", fields: [] }, { layout, data: [1, 2, 3] });
  expect(note("data[2]", 3)).toEqual({ text: "3", note: "joints 2" });
  expect(note("layout.data_offset", 0).note).toBeNull();
});
