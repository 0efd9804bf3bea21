import { describe, expect, test } from "vitest";
import { drawnField } from "@/domain/conditions/drawn-field";
import { evidenceTexts } from "@/domain/conditions/evidence-texts";
import type { LeafEvidence } from "@/domain/conditions/schema-registry";

const leaf = (members: Partial<LeafEvidence>): LeafEvidence =>
  ({
    ...{ type: "threshold", path: "", topic: "/joint_states", field: "effort[:]", holds: true, value_at: null },
    ...{ value: [63.98933175858621, 72.9907, 74.55819631, 60, 61, 62], operator: "gt", threshold: 55 },
    ...{ window: null, samples: [], ...members },
  }) as LeafEvidence;

describe("the value of a list in evidence", () => {
  test.each<[string, Partial<LeafEvidence>, string]>([
    ["names the worst element by its place", {}, "joint 3: 74.6, 6 of 6 above 55"],
    ["of a limit below", { operator: "lt", threshold: 61.5 }, "joint 4: 60, 2 of 6 below 61.5"],
    ["of a list that is a member", { field: "motors[:].temperature" }, "motor 3: 74.6, 6 of 6 above 55"],
    ["of a part of a list", { field: "cells[4:9]" }, "cell 7: 74.6, 6 of 6 above 55"],
    ["of a list without a name", { field: "data[:]" }, "element 3: 74.6, 6 of 6 above 55"],
    ["with its unit", { unit: "Nm" }, "joint 3: 74.6 Nm, 6 of 6 above 55"],
    ["of a range", { operator: "outside", threshold: [62, 73] }, "joint 3: 74.6, 3 of 6 outside 62 to 73"],
    ["that did not hold", { holds: false, threshold: 80 }, "joint 3: 74.6, 0 of 6 above 80"],
    [
      "of chosen elements, whose places are not known",
      { field: 'status[:]{name=="m"}.level' },
      "74.6, 6 of 6 above 55",
    ],
    ["that was cut", { value: [1, 2, 3, 4, 5, 6, 7, 80] }, "joint 8: 80, 1 of the first 8 above 55"],
  ])("%s", (_, members, value) => expect(evidenceTexts(leaf(members))).toMatchObject({ value, unit: "" }));

  test("of one element, or of no numbers, is the value itself", () => {
    expect(evidenceTexts(leaf({ value: [89.5941], unit: "°C" }))).toMatchObject({ value: "89.6", unit: "°C" });
    expect(evidenceTexts(leaf({ value: ["a", "b"], operator: null, threshold: null })).value).toBe("[a, b]");
  });
});

test("a number has the digits of the alert's sentence, and never reads like its limit", () => {
  const field = { field: "temperature", topic: "/motor" };
  expect(evidenceTexts(leaf({ ...field, value: 89.5941, threshold: 80 })).value).toBe("89.6");
  expect(evidenceTexts(leaf({ ...field, value: 80.0123, threshold: 80 })).value).toBe("80.01");
});

test("the element that is drawn is the one that is named", () => {
  expect(drawnField(leaf({}))).toBe("effort[2]");
  expect(drawnField(leaf({ operator: "lt", threshold: 61.5 }))).toBe("effort[3]");
  expect(drawnField(leaf({ field: "position" }))).toBe("position");
});
