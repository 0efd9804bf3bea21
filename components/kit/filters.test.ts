import { describe, expect, it } from "vitest";
import { parseFilterText, withValue, type FilterDefinition } from "./filters";

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
