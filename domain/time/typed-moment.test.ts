import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isoFromNs, nsFromMs, parseDateTimeNs } from "@/domain/time/nanoseconds";
import { parseTypedMoment, type OffsetAt } from "@/domain/time/typed-moment";

const hour = 3_600_000;
/** A Friday. */
const now = Date.UTC(2026, 10, 27, 12);
const utc: OffsetAt = () => 0;
/** Two hours ahead until the end of October 25th 2026, 01:00 UTC, then one. */
const berlin: OffsetAt = (at) => (at < Date.UTC(2026, 9, 25, 1) ? 2 : 1) * hour;

const read = (text: string, offset = utc) => {
  const found = parseTypedMoment(text, now, offset);
  return found && [found.rest, isoFromNs(found.at).replace(":00.000Z", "")];
};

describe("an instant among typed words", () => {
  test.each([
    ["arm c1 tue 14:10", "arm c1", "2026-11-24T14:10"],
    ["arm c1 last Tuesday at 2:10 pm", "arm c1", "2026-11-24T14:10"],
    ["tue 14:10 arm c1", "arm c1", "2026-11-24T14:10"],
    ["arm c1 14:10 tues", "arm c1", "2026-11-24T14:10"],
    ["amr 03 yesterday 9:30", "amr 03", "2026-11-26T09:30"],
    ["amr 03 today 23:30", "amr 03", "2026-11-27T23:30"],
    ["amr 03 9am", "amr 03", "2026-11-27T09:00"],
    ["amr 03 12am", "amr 03", "2026-11-27T00:00"],
    ["amr 03 12:05 pm", "amr 03", "2026-11-26T12:05"],
    ["amr 03 24 nov 9:30", "amr 03", "2026-11-24T09:30"],
    ["amr 03 nov 24 9:30", "amr 03", "2026-11-24T09:30"],
    ["amr 03 November 24, 2025 9:30", "amr 03", "2025-11-24T09:30"],
    ["amr 03 on 24. nov 2026 at 9:30", "amr 03", "2026-11-24T09:30"],
    ["amr 03 2026-11-24 09:30", "amr 03", "2026-11-24T09:30"],
    ["amr 03 2026-11-24T09:30", "amr 03", "2026-11-24T09:30"],
    ["2026-11-24T09:30Z amr 03", "amr 03", "2026-11-24T09:30"],
    ["2026-11-24T09:30+02:00", "", "2026-11-24T07:30"],
    ["fri 11:59", "", "2026-11-27T11:59"],
    ["fri 12:01", "", "2026-11-20T12:01"],
    ["24 dec 9:30", "", "2025-12-24T09:30"],
    ["29 feb 9:30", "", "2024-02-29T09:30"],
  ])("%s", (text, rest, at) => expect(read(text)).toEqual([rest, at]));

  test.each([
    ["tue 14:10", "2026-11-24T13:10"],
    ["24 oct 14:10", "2026-10-24T12:10"],
    ["2026-10-24T14:10", "2026-10-24T12:10"],
    ["2026-10-24T14:10Z", "2026-10-24T14:10"],
    ["tue 14:10 utc", "2026-11-24T14:10"],
    // It is 13:00 there: half an hour later was yesterday.
    ["13:30", "2026-11-26T12:30"],
  ])("%s is in the zone of the person", (text, at) => expect(read(text, berlin)).toEqual(["", at]));

  test("digits below the second are kept to the nanosecond", () => {
    const at = parseDateTimeNs("2026-11-24T09:30:01.123456789Z");
    expect(parseTypedMoment("2026-11-24T09:30:01.123456789", now, utc)?.at).toBe(at);
    expect(parseTypedMoment("2026-11-24 09:30:01.123456789", now, utc)?.at).toBe(at);
  });

  test.each([
    "",
    "amr 03",
    "tue",
    "press 14",
    "run 24:10",
    "run 14:60",
    "13 pm",
    "2026-02-30T09:30",
    "2026-02-30 09:30",
    "31 nov 9:30",
    "ratio 16:9",
    "v1:30b",
    "host:8080",
  ])("%j names no time of day", (text) => expect(parseTypedMoment(text, now, utc)).toBeNull());

  test("any minute of the past is found again, with the words around it", () => {
    const minute = fc.integer({ min: 0, max: Math.floor(now / 60_000) }).map((at) => at * 60_000);
    fc.assert(
      fc.property(minute, fc.constantFrom("amr 03", "Arm C1", "press-line-07", ""), (at, device) => {
        const [date, time] = [new Date(at).toISOString().slice(0, 10), new Date(at).toISOString().slice(11, 16)];
        for (const text of [`${device} ${date} ${time}`, `${date}T${time} ${device}`, `${time} ${date} ${device}`]) {
          expect(parseTypedMoment(text, now, utc)).toEqual({ at: nsFromMs(at), rest: device });
        }
      }),
    );
  });

  test("what names no year is never in the future, and less than a week or a day ago where it names less", () => {
    const clock = fc.record({ hours: fc.nat(23), minutes: fc.nat(59), day: fc.constantFrom("", "sun", "wed", "sat") });
    fc.assert(
      fc.property(clock, fc.nat(400 * 24 * 60), ({ hours, minutes, day }, ago) => {
        const then = now - ago * 60_000;
        const text = `${day} ${hours}:${String(minutes).padStart(2, "0")}`;
        const found = Number((parseTypedMoment(text, then, berlin)?.at ?? -1n) / 1_000_000n);
        const age = then - found;
        expect(age).toBeGreaterThanOrEqual(0);
        // A day in autumn has 25 hours.
        expect(age).toBeLessThan((day === "" ? 24 : 24 * 7) * hour + hour);
      }),
    );
  });
});
