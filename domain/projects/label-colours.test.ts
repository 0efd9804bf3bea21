import { expect, test } from "vitest";
import { contrastBetween, findWeakContrast, labelColours, pickColour } from "@/domain/projects/label-colours";

test("contrast is that of WCAG", () => {
  expect(contrastBetween("#000000", "#ffffff")).toBeCloseTo(21);
  expect(contrastBetween("#777777", "#ffffff")).toBeCloseTo(4.478, 3);
  expect(contrastBetween("#0891b2", "#0891b2")).toBe(1);
});

test("every colour that is offered is seen on light and dark pages; others are named with where they are not", () => {
  expect(labelColours.map(({ value }) => findWeakContrast(value))).toEqual(labelColours.map(() => null));
  expect(findWeakContrast("#ffff00")).toMatchObject({ page: "light" });
  expect(findWeakContrast("#000080")).toMatchObject({ page: "dark" });
});

test("a new label has a colour that no other has, as long as there is one", () => {
  const given: string[] = [];
  for (let at = 0; at < labelColours.length; at++) given.push(pickColour(given));
  expect(new Set(given).size).toBe(labelColours.length);
  expect(pickColour(given)).toBe(labelColours[0].value);
});
