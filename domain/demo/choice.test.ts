import { expect, test } from "vitest";
import { chooseDemo, demoFilters, parseDemoChoice } from "./choice";

const own = { present: true, own_reports: true };

test("what an address says comes first, then what was remembered, then what is one's own once it reports", () => {
  expect(chooseDemo(own, "both", "demo")).toBe("both");
  expect(chooseDemo(own, null, "demo")).toBe("demo");
  expect(chooseDemo(own, null, undefined)).toBe("yours");
  expect(chooseDemo({ ...own, own_reports: false }, null, undefined)).toBe("both");
});

test("without demo data all there is is shown, whatever was chosen", () => {
  expect(chooseDemo({ present: false, own_reports: true }, "demo", "demo")).toBe("both");
});

test("addresses of the earlier filter keep their meaning, and any other text chooses nothing", () => {
  expect([parseDemoChoice("true"), parseDemoChoice("false")]).toEqual(["demo", "yours"]);
  expect([parseDemoChoice("mine"), parseDemoChoice(""), parseDemoChoice(undefined)]).toEqual([null, null, null]);
  expect(chooseDemo(own, "mine", "both")).toBe("both");
});

test("each choice is a filter of the lists", () => {
  expect(demoFilters).toEqual({ demo: { demo: "true" }, yours: { demo: "false" }, both: {} });
});
