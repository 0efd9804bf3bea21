import { describe, expect, test } from "vitest";
import { metadataParameter, metadataText } from "./metadata-filter";

describe("the metadata filter", () => {
  test.each([
    ["site=berlin", '{"site":"berlin"}'],
    ["site=berlin,slots=4", '{"site":"berlin","slots":4}'],
    ["armed=true", '{"armed":true}'],
    ['serial="42"', '{"serial":"42"}'],
    ["place=Hall 3, east", '{"place":"Hall 3, east"}'],
    ["expr=a=b", '{"expr":"a=b"}'],
    ["site=", '{"site":""}'],
  ])("%s becomes the parameter %s, and reads back the same", (text, parameter) => {
    expect(metadataParameter(text)).toBe(parameter);
    expect(metadataParameter(metadataText(parameter))).toBe(parameter);
  });

  test.each([null, "", "berlin", "=x"])("%j sets no filter", (text) => expect(metadataParameter(text)).toBe(null));

  test("what is no object is shown as in the address", () => expect(metadataText("oops")).toBe("oops"));
});
