import { describe, expect, test } from "vitest";
import { formatMoment, parseMoment, toAddress, toCommand } from "./export-range";

describe("a range to be exported", () => {
  test.each([0n, 1_760_000_000_123_456_789n, 1_760_000_000_500_000_000n])("%s is read as it is shown", (ns) => {
    expect(parseMoment(formatMoment(ns))).toBe(ns);
  });

  test("takes times with and without a zone, and nanoseconds", () => {
    const ns = 1_767_323_045_000_000_000n;
    for (const text of ["2026-01-02 03:04:05", " 2026-01-02T03:04:05Z ", "2026-01-02 04:04:05+01:00", String(ns)])
      expect(parseMoment(text)).toBe(ns);
    for (const text of ["", "soon", "2026-13-01 00:00:00", "9999999999999999999"]) expect(parseMoment(text)).toBeNull();
  });

  test("has the address and the command that name it", () => {
    const all = { uid: "rec_1", from: 1_000_000_000n, to: 2_500_000_000n, topics: null, format: "mcap" } as const;
    expect(toAddress(all)).toBe("/media/recordings/rec_1/cut?from=1000000000&to=2500000000&format=mcap");
    expect(toCommand(all)).toBe(
      "muster download rec_1 --from 1970-01-01T00:00:01Z --to 1970-01-01T00:00:02.5Z -o cut.mcap && rerun cut.mcap",
    );
    const some = { ...all, topics: ["/a", "/it's"], format: "csv" } as const;
    expect(new URLSearchParams(toAddress(some).split("?")[1]).get("topics")).toBe("/a,/it's");
    expect(toCommand(some)).toContain(`--topics '/a,/it'\\''s' --format csv`);
  });
});
