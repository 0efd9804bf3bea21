import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { memorySource } from "@/engine/formats/byte-source";
import { comparePasses, makeRules } from "@/engine/testing/compare-passes";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { convertCase, makeConvertible } from "@/server/testing/converted-cases";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "muster-converted-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("db3 and ULog files with some bytes changed", () => {
  test.each([0, 20, 40, 60])(
    "are refused, or rewritten into what both passes read alike: from seed %i",
    async (first) => {
      const codecs = await recordingCodecs();
      let converted = 0;
      for (let seed = first; seed < first + 20; seed++) {
        const one = makeConvertible(seed);
        const result = await convertCase(one, folder);
        if (typeof result === "string") {
          expect(result, one.name).not.toBe("");
          continue;
        }
        const sources = [memorySource(result)];
        const rules = (await makeRules(sources, codecs)).slice(0, 40);
        const { differences, parts } = await comparePasses(sources, rules, { codecs });
        expect(differences, one.name).toEqual([]);
        if (parts > 0) converted += 1;
      }
      expect(converted).toBeGreaterThan(4);
    },
  );
});
