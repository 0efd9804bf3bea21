import { UnreadablePoints } from "@/engine/messages/clouds/points-file";

/** Decompresses LZF, as point clouds of PCL are compressed. Throws when the bytes do not make `length` of them. */
export function decompressLzf(source: Uint8Array, length: number): Uint8Array {
  const out = new Uint8Array(length);
  let [from, to] = [0, 0];
  while (from < source.length) {
    const control = source[from++]!;
    if (control < 32) {
      const run = control + 1;
      if (from + run > source.length || to + run > length) throw damaged();
      out.set(source.subarray(from, from + run), to);
      from += run;
      to += run;
      continue;
    }
    let run = control >> 5;
    if (run === 7) run += source[from++] ?? 0;
    const back = to - ((control & 31) << 8) - (source[from++] ?? 0) - 1;
    run += 2;
    if (back < 0 || to + run > length) throw damaged();
    // The parts may overlap: what was written is read again.
    for (let at = 0; at < run; at++) out[to++] = out[back + at]!;
  }
  if (to !== length) throw damaged();
  return out;
}

const damaged = () => new UnreadablePoints("The compressed points of the file are damaged.");
