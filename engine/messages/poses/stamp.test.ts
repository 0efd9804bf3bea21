import { expect, test } from "vitest";
import { chooseStamp, describeStamp, readStamp } from "@/engine/messages/poses/stamp";

const second = 1_000_000_000n;
const log = 1_770_000_000n * second;

test("a stamp of an hour around the log's time counts; of others the log's time does, and it is said", () => {
  expect([chooseStamp(log - 60n * second, log), describeStamp(log - 60n * second, log)]).toEqual([
    log - 60n * second,
    null,
  ]);
  expect([chooseStamp(null, log), describeStamp(null, log)]).toEqual([log, "stamp not set"]);
  expect([chooseStamp(log + 10_800n * second, log), describeStamp(log + 10_800n * second, log)]).toEqual([
    log,
    "stamp 3 h off",
  ]);
  expect(describeStamp(5n * second, log)).toBe("stamp 20,486 days off");
});

test("a stamp of zero is not set", () => {
  expect(readStamp({ header: { stamp: { sec: 0, nanosec: 0 } } })).toBeNull();
  expect(readStamp({ timestamp: "2026-02-02T02:40:00Z" })).toBe(log);
});
