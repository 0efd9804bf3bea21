import { expect, test } from "vitest";
import { toMessageName } from "./save-message";

test.each([
  ["/cam/image", "cdr", "cam-image_1770000000500000000.cdr"],
  ["plain", "json", "plain_1770000000500000000.json"],
  ["/a b/ü", "", "a-b-_1770000000500000000.bin"],
  ["/x", "../y", "x_1770000000500000000.y"],
])("the file of a message of %s in %j is called %s", (topic, encoding, name) => {
  expect(toMessageName({ topic, time: 1_770_000_000_500_000_000n }, encoding)).toBe(name);
});
