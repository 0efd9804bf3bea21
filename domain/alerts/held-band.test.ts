import { expect, test } from "vitest";
import { readEvidence } from "@/domain/alerts/evidence";
import { heldBands } from "./held-band";

const evidence = (window: string | null) => readEvidence({ topic: "/motor", window, leaves: [] });
const second = 1_000_000_000n;

test("the band before an alert says how long the condition, or the composite that it is a part of, had to hold", () => {
  const at = 100n * second;
  const band = (label: string, seconds: bigint) => [
    { fromNs: at - seconds * second, toNs: at, kind: "window", label: `Held for ${label}` },
  ];
  expect(heldBands(evidence("5s"), { window: "2s" }, at)).toEqual(band("2s", 2n));
  expect(heldBands(evidence("5s"), { window: null }, at)).toEqual(band("5s", 5n));
  expect(heldBands(evidence("1m"), undefined, at)).toEqual(band("1m", 60n));
  expect(heldBands(evidence(null), { window: null }, at)).toEqual([]);
  expect(heldBands(readEvidence({ kind: "test" }), undefined, at)).toEqual([]);
});
