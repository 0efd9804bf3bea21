import { parse } from "@foxglove/rosmsg";
import { MessageReader, MessageWriter } from "@foxglove/rosmsg2-serialization";
import { describe, expect, test } from "vitest";
import { messageWriter } from "@/server/demo/message-writer";

const schema = `string NAME = "constant"
string first
uint8 one
string[] list
string[2] pair
Part part
Part[] parts
float64 last
================================================================================
MSG: muster/Part
string text
float32[] numbers`;

const fill = (text: string) => {
  const part = { text: `${text}${text}`, numbers: Float32Array.of(1.5, -2) };
  return {
    ...{ first: text, one: 7, list: ["", text, `x${text}`], pair: [text, "a"] },
    ...{ part, parts: [part, { ...part, text: "" }], last: 0.25 },
  };
};

const texts = ["80 °C", "°", "日本語", "naïve", "🤖 robot 🤖", "", "plain", "a\nb"];

describe("a message", () => {
  test.each(texts)("comes back whole with the text %j in each place", (text) => {
    const bytes = messageWriter(schema)(fill(text));
    const reader = new MessageReader(parse(schema, { ros2: true }));
    expect(reader.readMessage(bytes)).toEqual(fill(text));
  });

  test("without other characters than ASCII has the bytes that the library writes", () => {
    const library = new MessageWriter(parse(schema, { ros2: true }));
    for (const text of ["plain", "", "longer than a word"])
      expect(Buffer.from(messageWriter(schema)(fill(text)))).toEqual(Buffer.from(library.writeMessage(fill(text))));
  });

  test("of which members are missing has empty texts", () => {
    const reader = new MessageReader(parse(schema, { ros2: true }));
    expect(reader.readMessage(messageWriter(schema)({ pair: ["a", "b"] }))).toMatchObject({
      ...{ first: "", list: [], pair: ["a", "b"], part: { text: "" } },
    });
  });
});
