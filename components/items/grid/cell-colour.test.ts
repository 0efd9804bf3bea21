import { expect, test } from "vitest";
import { labelColour } from "@/components/items/item-colour";
import { toCellColour } from "./cell-colour";

const item = { status: "completed", label: "robot", label_color: "#112233" } as const;
const predicted = (label: string | null, score: number | null = null) => ({ uid: "1", label, score, shapes: [] });

test("a cell says its label or state in words, in the colour of these", () => {
  expect(toCellColour(item, "none")).toBeNull();
  expect(toCellColour(item, "label")).toEqual({ colour: "#112233", text: "robot" });
  expect(toCellColour({ ...item, label: null }, "label")).toBeNull();
  expect(toCellColour(item, "status")?.text).toBe("submitted");
});

test("a cell says what a run predicted, and whether that is what people said", () => {
  expect(toCellColour(item, "prediction")).toBeNull();
  expect(toCellColour(item, "prediction", predicted("cart", 0.934))).toEqual({
    colour: labelColour("cart"),
    text: "cart 0.93",
  });
  expect(toCellColour(item, "prediction", predicted(null))?.text).toBe("nothing found");
  expect(toCellColour(item, "disagreement", predicted("robot"))?.text).toBe("both robot");
  expect(toCellColour(item, "disagreement", predicted("cart"))?.text).toBe("robot ≠ cart");
  expect(toCellColour(item, "disagreement", predicted(null))?.text).toBe("robot ≠ nothing");
  expect(toCellColour({ ...item, label: null }, "disagreement", predicted("cart"))).toBeNull();
});
