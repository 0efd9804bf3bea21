import { expect, test } from "vitest";
import { describeAbsence } from "./topic-absence";

const first = 1_770_000_000_000_000_000n;

test("a topic without a message yet says when its first one comes, and in how long", () => {
  expect(describeAbsence("/late", first, first - 4_200_000_000n)).toMatch(
    /^First message of \/late at 2026-02-02T02:40:00\S* \(in 4\.2 s\)$/,
  );
  expect(describeAbsence("/late", first, null)).toMatch(/^First message of \/late at 2026-02-02T02:40:00\S*$/);
  expect(describeAbsence("/none", null, first)).toBe("No messages of /none");
});
