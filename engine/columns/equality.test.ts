import { describe, expect, it } from "vitest";
import { memorySource } from "@/engine/formats/byte-source";
import { comparePasses, makeRules, type Comparison } from "@/engine/testing/compare-passes";
import { makeCase, mutateFiles } from "@/engine/testing/recording-cases";
import { recordingCodecs } from "@/server/platform/recording-codecs";

/** Seeds of one test. */
const groups = Array.from({ length: 8 }, (_, group) => [group * 3, group * 3 + 1, group * 3 + 2]);

async function compare(files: readonly Uint8Array[], generate?: boolean): Promise<Comparison> {
  const codecs = await recordingCodecs();
  const sources = files.map(memorySource);
  const rules = (await makeRules(sources, codecs)).slice(0, 150);
  return comparePasses(sources, rules, { codecs, ...(generate === undefined ? {} : { generate }) });
}

describe("reading into columns gives what reading message by message gives", () => {
  it.each(groups)("for generated recordings: seeds %i, %i, %i", async (...seeds) => {
    let columns = 0;
    for (const seed of seeds) {
      const { name, files } = await makeCase(seed, 80);
      const comparison = await compare(files);
      expect(comparison.differences, name).toEqual([]);
      columns += comparison.columns;
    }
    expect(columns).toBeGreaterThan(100);
  });

  it.each(groups.slice(0, 3))("without generated functions: seeds %i, %i, %i", async (...seeds) => {
    for (const seed of seeds) {
      const { name, files } = await makeCase(seed, 80);
      expect((await compare(files, false)).differences, name).toEqual([]);
    }
  });

  it("for a chunk that holds messages of a topic its index does not name", async () => {
    const { files } = await makeCase(184, 80);
    expect((await compare(mutateFiles(files, 3_691))).differences).toEqual([]);
  });

  it.each(groups)("for damaged recordings: seeds %i, %i, %i", async (...seeds) => {
    for (const seed of seeds) {
      const { name, files } = await makeCase(seed + 100, 60);
      expect((await compare(mutateFiles(files, seed))).differences, `${name}, damaged`).toEqual([]);
    }
  });
});
