import { describe, expect, it } from "vitest";
import { parseMomentNs } from "@/domain/time/relative";
import { exampleTime, findFilters, parseFilterText, readExactTime, withValue, type FilterDefinition } from "./filters";

const definitions: FilterDefinition[] = [
  { key: "status", label: "Status", multiple: true },
  { key: "type", label: "Type" },
];

describe("what is typed into a filter bar", () => {
  it("is a filter when it starts with a known key, by key or label", () => {
    expect(parseFilterText("status:off", definitions)).toEqual({ definition: definitions[0], rest: "off" });
    expect(parseFilterText("Type: Robot arm", definitions)).toEqual({ definition: definitions[1], rest: "Robot arm" });
  });

  it("is free text otherwise, colons included", () => {
    expect(parseFilterText(" arm:04 ", definitions)).toEqual({ definition: undefined, rest: "arm:04" });
    expect(parseFilterText(":off", definitions)).toEqual({ definition: undefined, rest: ":off" });
  });

  it("adds to a filter of several values once and replaces a single one", () => {
    const [status, type] = definitions as [FilterDefinition, FilterDefinition];
    expect(withValue(status, "online", "offline")).toBe("online,offline");
    expect(withValue(status, "online,offline", "online")).toBe("online,offline");
    expect(withValue(type, "AMR", "Drone")).toBe("Drone");
  });
});

it("a value is an exact time with its offset or in UTC, and no span or other text is one", () => {
  const at = Date.UTC(2026, 10, 24, 14, 10);
  for (const text of ["2026-11-24T14:10Z", "2026-11-24T14:10", "2026-11-24T15:10:00.000+01:00"])
    expect(readExactTime(text)).toBe(at);
  for (const text of ["", "-7d", "2026-11-24", "2026-13-24T14:10Z", "soon"]) expect(readExactTime(text)).toBeNull();
});

it("offers an example that the server takes as the same time", () => {
  expect(parseMomentNs(exampleTime)).toBe(BigInt(readExactTime(exampleTime) ?? 0) * 1_000_000n);
});

describe("the beginning of a filter's name", () => {
  const fleet: FilterDefinition[] = [
    { key: "severity", label: "Severity" },
    { key: "device_id", label: "Device" },
    { key: "since", label: "Created since" },
    { key: "started_since", label: "Started since" },
    { key: "started_until", label: "Started until" },
  ];

  const find = (text: string) => {
    const { meant, others } = findFilters(fleet, text);
    return [meant, others].map((each) => each.map(({ key }) => key).join(" "));
  };

  it("means those filters before anything else, by key or label, be it one or several", () => {
    expect(find("sev")).toEqual(["severity", ""]);
    expect(find("Created s")).toEqual(["since", ""]);
    expect(find("started_u")).toEqual(["started_until", ""]);
    expect(find("sta")).toEqual(["started_since started_until", ""]);
    expect(find("si")).toEqual(["since", "started_since"]);
  });

  it("means none where it begins none, or is a single letter", () => {
    expect(find("arm-04")).toEqual(["", ""]);
    expect(find("everity")).toEqual(["", "severity"]);
    expect(find("s")).toEqual(["", "severity since started_since started_until"]);
    expect(find("")).toEqual(["", fleet.map(({ key }) => key).join(" ")]);
  });
});
