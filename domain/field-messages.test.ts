import { describe, expect, test } from "vitest";
import { z } from "zod";
import { issueMessage, notAChoice } from "@/domain/field-messages";
import { choice, choices, distinct, ordered } from "@/domain/fields";
import { toIssues } from "@/domain/issues";
import { Annotation } from "@/domain/tasks/schema";

const explain = (schema: z.ZodType, input: unknown) =>
  toIssues(schema.safeParse(input, { error: issueMessage }).error?.issues ?? []);

describe("a value that is none of the choices is refused with them", () => {
  const text = '"c" is not a valid choice. Choices: a, b.';
  test.each<[string, z.ZodType, unknown, (string | number)[], string]>([
    ["alone", choice(["a", "b"]), "c", [], text],
    ["of another type", choice(["a", "b"]), [], [], '"list" is not a valid choice. Choices: a, b.'],
    ["in a list", distinct(choice(["a", "b"]), 9), ["a", "c"], [1], text],
    ["in a text with commas", choices(["a", "b"]), "a,c", [], text],
    ["as an order", ordered(["a"]), "c", [], '"c" is not a valid choice. Choices: a, -a.'],
    ["among numbers", z.literal([0, 90]), 45, [], '"45" is not a valid choice. Choices: 0, 90.'],
    ["that says which variant an object is", variants(), { type: "c" }, ["type"], text],
    [
      "of another type that says which variant an object is",
      variants(),
      { type: 3 },
      ["type"],
      '"number" is not a valid choice. Choices: a, b.',
    ],
  ])("%s", (_, schema, input, path, message) => expect(explain(schema, input)).toEqual([{ path, message }]));

  test("as the type of an annotation", () => {
    expect(explain(z.object({ annotations: z.array(Annotation) }), { annotations: [{ type: "blob" }] })).toEqual([
      {
        path: ["annotations", 0, "type"],
        message:
          '"blob" is not a valid choice. Choices: bbox, polygon, polyline, keypoints, mask, cuboid, classification.',
      },
    ]);
  });
});

function variants() {
  return z.discriminatedUnion("type", [z.object({ type: z.literal("a") }), z.object({ type: z.literal("b") })]);
}

test("an object that does not say which variant it is lacks a field", () => {
  expect(explain(variants(), {})).toEqual([{ path: ["type"], message: "This field is required." }]);
});

test("of many choices the first are named, with how many there are besides", () => {
  const many = Array.from({ length: 40 }, (_, at) => `choice-${at}`);
  expect(notAChoice("x", many.slice(0, 16))).toMatch(/ Choices: choice-0, .*, choice-15\.$/);
  expect(notAChoice("x", many)).toBe(
    `"x" is not a valid choice. Choices: ${many.slice(0, 12).join(", ")} and 28 more.`,
  );
});

test("a number beyond its limit is refused with it, and whether the limit itself is allowed", () => {
  const message = (schema: z.ZodType, input: number) => explain(schema, input)[0]?.message;
  expect(message(z.number().max(360), 361)).toBe("Ensure this value is less than or equal to 360.");
  expect(message(z.number().lt(360), 360)).toBe("Ensure this value is less than 360.");
  expect(message(z.number().min(0), -1)).toBe("Ensure this value is greater than or equal to 0.");
  expect(message(z.number().gt(0), 0)).toBe("Ensure this value is greater than 0.");
});
