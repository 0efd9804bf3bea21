import { expect, test } from "vitest";
import {
  describeAbsence,
  describeAge,
  describeDropped,
  describeRefusal,
  filesGone,
  isOfBucket,
  isStale,
} from "./panel-texts";

const first = 1_770_000_000_000_000_000n;

test("a topic without a message yet says when its first one comes, and in how long", () => {
  expect(describeAbsence("/late", first, first - 4_200_000_000n, "UTC")).toBe(
    "First message of /late at 02:40:00.000 (in 4.2 s)",
  );
  expect(describeAbsence("/late", first, null, "Asia/Tokyo")).toBe("First message of /late at 11:40:00.000");
  expect(describeAbsence("/none", null, first, "UTC")).toBe("No messages of /none");
});

test("a message is stale after five periods of its topic, and at least two seconds", () => {
  expect(describeAge(3.4)).toBe("3.4 s old");
  expect([isStale(1.9, 100), isStale(2.1, 100), isStale(9, 0.5), isStale(11, 0.5), isStale(3, 0)]).toEqual([
    false,
    true,
    false,
    true,
    true,
  ]);
});

test("the part of pictures that were left out is never said as none, nor as more than all", () => {
  expect([0.12, 0.001, 1.2].map(describeDropped)).toEqual([
    "12 % dropped: decoding",
    "1 % dropped: decoding",
    "100 % dropped: decoding",
  ]);
});

test.each([
  [
    'The bucket "yard-logs" could not be used: access denied (403).',
    502,
    "Bucket yard-logs does not answer (403).",
    true,
  ],
  ['The bucket "a b" could not be used: timed out.', 503, "Bucket a b does not answer (timed out).", true],
  ["Not found.", 404, filesGone, false],
  ["Reading this recording takes too long.", 503, "Reading this recording takes too long.", false],
])("%s (%i) is said as %s", (detail, status, text, isBucket) => {
  const refusal = describeRefusal(detail, status);
  expect([refusal, isOfBucket(refusal)]).toEqual([text, isBucket]);
});
