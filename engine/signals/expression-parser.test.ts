import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { computeReach, ExpressionError, findUnit, listFields, type Expression } from "@/engine/signals/expression";
import { parseExpression, type ExpressionTopic } from "@/engine/signals/expression-parser";
import { countShare } from "@/server/testing/generated-cases";

const numbers = (...paths: string[]) => paths.map((path) => ({ path, kind: "number" }));
const orientation = (path: string) => numbers(...["x", "y", "z", "w"].map((each) => `${path}${each}`));
const topics: ExpressionTopic[] = [
  { name: "/a", fields: [...numbers("x", "y", "list[0]", '["odd.key"].v'), { path: "on", kind: "boolean" }] },
  { name: "/a/b", fields: numbers("x") },
  { name: "/a.b", fields: numbers("c") },
  { name: "/front-left", fields: numbers("x") },
  { name: "joint", fields: numbers("x") },
  { name: "/q", fields: orientation("") },
  {
    name: "/odom",
    fields: [
      ...orientation("pose.pose.orientation."),
      ...numbers("twist.linear.x", "twist.linear.y", "stamp.nanosec"),
      { path: "frame", kind: "string" },
      { path: "stamp", kind: "time" },
    ],
  },
];
const parse = (text: string) => parseExpression(text, topics);

/** An expression with all its brackets, as one text. */
function write(each: Expression): string {
  switch (each.kind) {
    case "number":
      return String(each.value);
    case "field":
      return `${each.topic}:${each.field}`;
    case "operation":
      return `(${write(each.left)} ${each.operator} ${write(each.right)})`;
    case "call":
      return `${each.name}(${each.values.map(write).join(", ")})`;
    case "overTime":
      return `${each.name}(${write(each.of)}${each.durationNs > 0 ? `, ${each.durationNs}` : ""})`;
  }
}

describe("reading an expression", () => {
  test.each([
    ["/a.x", "/a:x"],
    ["/a.x + /a.y * 2", "(/a:x + (/a:y * 2))"],
    ["/a.x - 1 - 2", "((/a:x - 1) - 2)"],
    ["/a.x/2/4", "((/a:x / 2) / 4)"],
    ["/a.x//a.y", "(/a:x / /a:y)"],
    ["2^/a.x^2", "(2 ^ (/a:x ^ 2))"],
    ["-/a.x^2", "(0 - (/a:x ^ 2))"],
    ["2 ^ -/a.x", "(2 ^ (0 - /a:x))"],
    ["-2 * +/a.x", "(-2 * /a:x)"],
    ["/a.x % 3 + 1 > /a.y", "(((/a:x % 3) + 1) > /a:y)"],
    ["(/a.x + 1) * 2", "((/a:x + 1) * 2)"],
    ["/a/b.x", "/a/b:x"],
    ["/a.b.c", "/a.b:c"],
    ["/front-left.x-1", "(/front-left:x - 1)"],
    ["joint.x", "joint:x"],
    ["/a.list[0]", "/a:list[0]"],
    ['/a["odd.key"].v', '/a:["odd.key"].v'],
    ["/a.on == 1", "(/a:on == 1)"],
    ["1.5e3 * .5 * /a.x", "((1500 * 0.5) * /a:x)"],
    ["min(/a.x, 1, /a.y)", "min(/a:x, 1, /a:y)"],
    ["mean(/a.x, 1m30s)", "mean(/a:x, 90000000000)"],
    ["rate( /a.x )", "rate(/a:x)"],
    ["yaw(/q)", "yaw(/q:x, /q:y, /q:z, /q:w)"],
    ["norm(/odom.twist.linear)", "norm(/odom:twist.linear.x, /odom:twist.linear.y)"],
    ["norm(/a.x)", "norm(/a:x)"],
    ["/odom.stamp.nsec", "/odom:stamp.nanosec"],
    ["2 * pi * /a.x", `((2 * ${Math.PI}) * /a:x)`],
  ])("%s is %s", (text, expected) => expect(write(parse(text))).toBe(expected));

  test("takes the members of an orientation in their order", () => {
    const of = (member: string) => `/odom:pose.pose.orientation.${member}`;
    expect(write(parse("yaw(/odom.pose.pose.orientation)"))).toBe(`yaw(${["x", "y", "z", "w"].map(of).join(", ")})`);
  });

  test.each([
    ["", "Expected a number, /topic.field or a function, but the expression ends at position 0."],
    ["/a.x +", "Expected a number, /topic.field or a function, but the expression ends at position 6."],
    ["/a.x 2", 'Expected an operator, but found "2" at position 5.'],
    ["(/a.x", 'Expected ")", but the expression ends at position 5.'],
    ["/a.z", '/a has no field "z" at position 2.'],
    ["1 + /none.x", 'This recording has no topic "/none.x"; expected /topic.field at position 4.'],
    ["foo + 1", '"foo" is no field and no function; expected a number, /topic.field or a function at position 0.'],
    ["1 + foo(/a.x)", '"foo" is no function; expected one such as abs, rate or mean at position 4.'],
    ["/odom.frame", '"frame" of /odom is text; expected a field of numbers at position 5.'],
    ["/odom.stamp", '"stamp" of /odom is a time; expected a field of numbers at position 5.'],
    ["/odom.twist", '"/odom.twist" holds several values; expected one of them, such as twist.linear.x at position 5.'],
    ["mean(/a.x)", 'mean needs a duration, such as mean(…, 5s); expected a comma, but found ")" at position 9.'],
    ["mean(/a.x, 5)", "Expected a duration such as 5s, 250ms or 1m30s, at most 30 days at position 11."],
    ["delay(/a.x, 31d)", "Expected a duration such as 5s, 250ms or 1m30s, at most 30 days at position 12."],
    ["rate(5)", "rate needs a field, such as rate(/topic.field) at position 5."],
    ["yaw(/a.x)", "yaw takes 4 values, or a field that holds x, y, z, w, not 1 at position 0."],
    ["atan2(/a.x)", "atan2 takes 2 values, not 1 at position 0."],
    ["1 < /a.x < 2", "Comparisons cannot be chained; expected the end or ) at position 9."],
    ["1 + 2", "Expected at least one field, such as /topic.field at position 0."],
    ["/a.x = 1", 'Expected an operator, but found "=" at position 5.'],
    ["constructor(/a.x)", '"constructor" is no function; expected one such as abs, rate or mean at position 0.'],
    [`${"(".repeat(40)}/a.x`, "Parts lie inside each other at most 32 deep at position 33."],
    [`${"-".repeat(40)}/a.x`, "Parts lie inside each other at most 32 deep at position 33."],
    [`/a.x + ${"1 + ".repeat(400)}1`, "An expression has at most 1000 characters at position 1000."],
  ])("%s is refused", (text, message) => expect(() => parse(text)).toThrow(message));

  test("has at most 16 fields", () => {
    const many = [{ name: "/t", fields: numbers(...Array.from({ length: 17 }, (_, at) => `v${at}`)) }];
    const sum = (count: number) => Array.from({ length: count }, (_, at) => `/t.v${at}`).join("+");
    expect(listFields(parseExpression(sum(16), many))).toHaveLength(16);
    expect(() => parseExpression(sum(17), many)).toThrow("An expression has at most 16 fields, not 17.");
  });

  test("any text is read or refused with a position inside it", () => {
    const parts = fc.constantFrom(
      "/a.x",
      "/a",
      "1",
      ".",
      "+",
      "-",
      "*",
      "/",
      "^",
      "(",
      ")",
      ",",
      "mean",
      "yaw",
      "5s",
      "<",
      "=",
      " ",
      "[",
      '"',
      "é",
    );
    const texts = fc.oneof(
      fc.string({ unit: "binary", maxLength: 80 }),
      fc.array(parts, { maxLength: 60 }).map((all) => all.join("")),
    );
    fc.assert(
      fc.property(texts, (text) => {
        try {
          parse(text);
        } catch (error) {
          expect(error).toBeInstanceOf(ExpressionError);
          const { position } = error as ExpressionError;
          expect(position === null || (position >= 0 && position <= text.length)).toBe(true);
        }
      }),
      { numRuns: countShare(500) },
    );
  });

  test("hostile texts take linear time", () => {
    const names = Array.from({ length: 500 }, (_, at) => ({ name: `/t${at}`, fields: numbers("x") }));
    for (const text of [
      "/t".repeat(500),
      `/a${'["x'.repeat(300)}`,
      "9".repeat(1000),
      "5s".repeat(500),
      "/a.x/".repeat(200),
    ]) {
      const began = process.cpuUsage();
      expect(() => parseExpression(text, [...topics, ...names])).toThrow(ExpressionError);
      expect(process.cpuUsage(began).user).toBeLessThan(2e6);
    }
  });
});

describe("an expression", () => {
  test.each([
    ["/a.x + 1", 0, 0],
    ["rate(rate(/a.x))", 0, 2],
    ["delay(mean(/a.x, 5s), 1s)", 6e9, 0],
    ["rate(/a.x) - median(/a.y, 2s)", 2e9, 1],
    ["integral(/a.x)", Infinity, 0],
  ])("%s reaches into the past by %d ns and %d samples", (text, ns, samples) => {
    expect(computeReach(parse(text))).toEqual({ ns, samples });
  });

  test.each([
    ["/a.x", "m"],
    ["-abs(/a.x)", "m"],
    ["/a.x - /a.y", "m"],
    ["/a.x - /odom.twist.linear.x", undefined],
    ["/a.x - 273.15", undefined],
    ["max(/a.x, 0)", "m"],
    ["rate(/a.x)", "m/s"],
    ["integral(/a.x)", "m·s"],
    ["mean(/a.x, 1s)", "m"],
    ["deg(yaw(/q))", "°"],
    ["yaw(/q)", "rad"],
    ["/a.x * /a.y", undefined],
    ["/a.x > 1", undefined],
    ["norm(/odom.twist.linear)", "m/s"],
  ])("%s has the unit %s", (text, unit) => {
    const getUnit = ({ topic }: { topic: string }) => (topic === "/odom" ? "m/s" : "m");
    expect(findUnit(parse(text), getUnit)).toBe(unit);
  });
});
