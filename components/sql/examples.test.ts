import { describe, expect, it } from "vitest";
import { exampleQueries } from "./examples";

const table = (topic: string, fields: Record<string, string>) => ({
  topic,
  fields: Object.entries(fields).map(([path, type]) => ({ path, type })),
});

describe("the examples of queries", () => {
  it("are about a topic with measured values, and leave out times and counts", () => {
    const stamp = { "header.stamp.sec": "int32", "header.stamp.nanosec": "uint32", seq: "uint64" };
    const examples = exampleQueries([
      table("/diagnostics", { ...stamp, level: "uint8" }),
      table("/motor/state", { ...stamp, mode: "uint8", temperature: "float32", running: "bool" }),
    ]);
    expect(examples.map(({ label }) => label)).toEqual([
      "Newest rows of /motor/state",
      "Average and maximum of temperature by device",
      "Messages in /motor/state by day",
    ]);
    expect(examples[0]?.sql).toBe(
      'select make_timestamp_ns(log_time) as time, device_name, "temperature", "mode"\nfrom "/motor/state"\norder by log_time desc\nlimit 100',
    );
    expect(examples[1]?.sql).toContain('max("temperature") as maximum\nfrom "/motor/state"\ngroup by device_name');
  });

  it("take whole numbers where there are no others, and no average where there are no numbers", () => {
    const whole = exampleQueries([table("/mode", { on: "bool" }), table("/count", { data: "int64" })]);
    expect(whole[1]?.sql).toContain('avg("data")');
    const none = exampleQueries([table("/mode", { on: "bool", "header.stamp.sec": "int32" })]);
    expect(none.map(({ label }) => label)).toEqual(["Newest rows of /mode", "Messages in /mode by day"]);
    expect(none[0]?.sql).toContain('"on", "header.stamp.sec"');
  });

  it("quote names", () => {
    const [newest] = exampleQueries([table('/a "b"', { 'x"y': "float64" })]);
    expect(newest?.sql).toContain('"x""y"\nfrom "/a ""b"""');
  });

  it("are none without topics, and need no field", () => {
    expect(exampleQueries([])).toEqual([]);
    expect(exampleQueries([table("/empty", {})])[0]?.sql).toMatch(
      /^select make_timestamp_ns\(log_time\) as time, device_name\n/,
    );
  });
});
