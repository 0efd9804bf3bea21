import { describe, expect, test } from "vitest";
import { fieldErrors, invalid, invalidInput, notFound } from "@/server/platform/errors";

describe("issues in the form of the REST API", () => {
  test("are grouped by top-level field, with the rest of the path before the message", () => {
    expect(
      fieldErrors([
        { path: ["condition", "conditions", 1, "topic"], message: "This field is required." },
        { path: ["name"], message: "Taken." },
        { path: [], message: "Pick one." },
      ]),
    ).toEqual({
      condition: ["conditions.1.topic: This field is required."],
      name: ["Taken."],
      non_field_errors: ["Pick one."],
    });
  });

  test("of a list have no field; their message starts with the position", () => {
    expect(
      fieldErrors([
        { path: [0, "dataset_uid"], message: "This field is required." },
        { path: [3], message: "Expected an object." },
      ]),
    ).toEqual({ non_field_errors: ["0.dataset_uid: This field is required.", "3.Expected an object."] });
  });

  test("are limited to 20 of a field, without duplicates", () => {
    const many = Array.from({ length: 50 }, (_, at) => ({ path: ["tags", at % 30], message: "Too long." }));
    const { tags, name } = fieldErrors([...many, { path: ["name"], message: "Taken." }]);
    expect(tags).toEqual(Array.from({ length: 20 }, (_, at) => `${at}: Too long.`));
    expect(name).toEqual(["Taken."]);
  });

  test("are the body of a refusal, and are joined to one text", () => {
    const refusal = invalidInput([
      { path: ["config", "url"], message: "Enter a valid URL." },
      { path: ["name"], message: "Taken." },
    ]);
    expect(refusal.body()).toEqual({ config: ["url: Enter a valid URL."], name: ["Taken."] });
    expect(refusal.text()).toBe("url: Enter a valid URL. Taken.");
    expect(invalid(["files", 2, "path"], "Gone.").body()).toEqual({ files: ["2.path: Gone."] });
    expect([notFound().body(), notFound().text()]).toEqual([{ detail: "Not found." }, "Not found."]);
  });
});
