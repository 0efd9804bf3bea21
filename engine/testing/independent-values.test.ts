import { expect, test } from "vitest";
import { compareValues } from "@/engine/testing/independent-values";
import { caseStart, makeCase } from "@/engine/testing/recording-cases";
import { recordingCodecs } from "@/server/platform/recording-codecs";

test.each([0, 20, 40])(
  "signals and series hold what other libraries decode, in recordings from seed %i",
  async (first) => {
    const codecs = await recordingCodecs();
    let values = 0;
    for (let seed = first; seed < first + 20; seed++) {
      const made = await makeCase(seed, 80);
      const comparison = await compareValues(made, codecs, caseStart);
      expect(comparison.differences, made.name).toEqual([]);
      values += comparison.values;
    }
    expect(values).toBeGreaterThan(10_000);
  },
);
