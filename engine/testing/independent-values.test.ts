import { expect, test } from "vitest";
import { compareValues } from "@/engine/testing/independent-values";
import { makeListCase } from "@/engine/testing/list-cases";
import { caseStart, makeCase } from "@/engine/testing/recording-cases";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { share } from "@/server/testing/generated-cases";

test.each([0, 20, 40])(
  "signals and series hold what other libraries decode, in recordings from seed %i",
  async (first) => {
    const codecs = await recordingCodecs();
    let values = 0;
    const seeds = share(Array.from({ length: 20 }, (_, at) => first + at));
    for (const seed of seeds) {
      const made = await makeCase(seed, 80);
      const comparison = await compareValues(made, codecs, caseStart);
      expect(comparison.differences, made.name).toEqual([]);
      values += comparison.values;
    }
    expect(values).toBeGreaterThan(500 * seeds.length);
  },
);

// Among them topics with as many fields as one may have, and an element of a list that fits only from its second message on.
test.each([0, 1, 13, 20, 34, 47, 49])(
  "signals and series hold what other libraries decode of lists and times, in every encoding, from seed %i",
  async (seed) => {
    const made = await makeListCase(seed, 24);
    const comparison = await compareValues(made, await recordingCodecs(), caseStart);
    expect(comparison.differences, made.name).toEqual([]);
    expect(comparison.values).toBeGreaterThan(1_000);
  },
);
