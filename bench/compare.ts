import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { memorySource } from "@/engine/formats/byte-source";
import { comparePasses, makeRules, type Comparison } from "@/engine/testing/compare-passes";
import { compareValues } from "@/engine/testing/independent-values";
import { makeListCase } from "@/engine/testing/list-cases";
import { caseStart, makeCase, mutateFiles } from "@/engine/testing/recording-cases";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { convertCase, makeConvertible } from "@/server/testing/converted-cases";

const codecs = await recordingCodecs();
let failed = 0;

async function compare(files: readonly Uint8Array[]): Promise<Comparison> {
  const sources = files.map(memorySource);
  return comparePasses(sources, await makeRules(sources, codecs), { codecs });
}

let [columns, merged] = [0, 0];

function show(name: string, comparison: Comparison, always: boolean): void {
  const { differences, parts, hits, refused } = comparison;
  columns += comparison.columns;
  merged += comparison.merged;
  if (differences.length > 0) failed += 1;
  else if (!always) return;
  const how = `${comparison.columns} messages in columns, ${comparison.merged} merged`;
  console.log(
    `${name}: ${parts} parts, ${hits} hits, ${how}${refused ? ", refused" : ""}, ${differences.length} differ`,
  );
  for (const difference of differences.slice(0, 5)) console.log(difference);
}

/** Every recording of a folder; its files are recordings of one file each. */
async function compareFolder(folder: string): Promise<void> {
  for (const name of fs.readdirSync(folder)) {
    if (!/\.(mcap|bag)$/.test(name)) continue;
    show(name, await compare([fs.readFileSync(path.join(folder, name))]), true);
  }
}

/** Generated recordings, and each with some bytes changed. */
async function compareGenerated(count: number, first: number): Promise<void> {
  let refused = 0;
  for (let seed = first; seed < first + count; seed++) {
    const { name, files } = await makeCase(Math.floor(seed / 20), 80);
    const mutated = seed % 20 === 0 ? files : mutateFiles(files, seed);
    const comparison = await compare(mutated);
    if (comparison.refused) refused += 1;
    show(`${name}, mutation ${seed}`, comparison, false);
    if (seed % 20 !== 0) continue;
    const lists = await makeListCase(seed / 20, 24);
    show(lists.name, await compare(lists.files), false);
  }
  console.log(`${count} generated recordings, ${refused} of them refused`);
}

/** Generated recordings as they were written: their signals and series, and what libraries of other projects decode. */
async function compareDecoded(count: number, first: number): Promise<void> {
  const total = { rows: 0, values: 0 };
  for (let seed = first; seed < first + count; seed++) {
    const cases = [await makeCase(seed, 80), ...(seed % 10 === 0 ? [await makeListCase(seed / 10, 60)] : [])];
    for (const made of cases) {
      const { differences, rows, values } = await compareValues(made, codecs, caseStart);
      total.rows += rows;
      total.values += values;
      if (differences.length === 0) continue;
      failed += 1;
      console.log(`${made.name}: ${differences.length} differ`);
      for (const difference of differences.slice(0, 5)) console.log(difference);
    }
  }
  console.log(
    `${count} generated recordings, ${total.rows} messages with ${total.values} values decoded independently`,
  );
}

/** Generated db3 and ULog files, most with some bytes changed: refused, or rewritten into what is read alike. */
async function compareConverted(count: number, first: number): Promise<void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "muster-compare-"));
  let refused = 0;
  for (let seed = first; seed < first + count; seed++) {
    const one = makeConvertible(seed);
    const converted = await convertCase(one, folder);
    if (typeof converted === "string") refused += 1;
    else show(one.name, await compare([converted]), false);
  }
  fs.rmSync(folder, { recursive: true });
  console.log(`${count} generated db3 and ULog files, ${refused} of them refused`);
}

const [what = "10000", first = "0"] = process.argv.slice(2);
if (what === "values") await compareDecoded(2_000, Number(first));
else if (what === "converted") await compareConverted(2_000, Number(first));
else if (/^\d+$/.test(what)) await compareGenerated(Number(what), Number(first));
else await compareFolder(what);
if (columns + merged > 0)
  console.log(`${columns} messages were read into columns, ${merged} in the order of the merge`);
if (failed > 0) {
  console.error(`${failed} recordings are read differently`);
  process.exitCode = 1;
}
