import { describe, expect, it } from "vitest";
import { completeNames } from "./completion";

const tables = [
  { topic: "/motor", fields: [{ path: "temp.c", type: "float64" }] },
  { topic: "/imu", fields: [{ path: "x", type: "float32" }] },
];
/** The suggestions at `|`. */
const at = (text: string, explicit = false) =>
  completeNames(text.replace("|", ""), text.indexOf("|"), tables, explicit);
const labels = (text: string) => at(text)?.options.map(({ label }) => label);

describe("names that are suggested", () => {
  it("are the topics and the fields of the topics that the query names", () => {
    expect(labels('select t| from "/motor"')).toEqual([
      '"/motor"',
      '"/imu"',
      '"temp.c"',
      "recording_id",
      "device_id",
      "device_name",
      "log_time",
    ]);
    expect(labels("select t|")).toContain('"x"');
  });

  it("replace what is written, with its quotes", () => {
    expect(at('select * from "/mo|"')).toMatchObject({ from: 14, to: 19 });
    expect(at('select * from "/mo|')).toMatchObject({ from: 14, to: 18 });
    expect(at("select te| from x")).toMatchObject({ from: 7, to: 9 });
    expect(labels('select * from "/mo|"')).not.toContain("log_time");
  });

  it("come unasked only where a name was begun", () => {
    expect(at("select |")).toBeNull();
    expect(at("select |", true)?.options).not.toEqual([]);
  });
});
