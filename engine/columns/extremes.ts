import { fromBase64 } from "@/engine/bytes";
import { ROWS } from "@/engine/columns/column-batch";
import { extremesWasm } from "@/engine/columns/extremes-wasm";

const pageBytes = 65_536;

/** Finds the extremes of stretches of one column at a time, in WebAssembly from extremes.c. */
export interface StretchExtremes {
  /** The column's values. */
  readonly values: Float64Array;
  /** Where each stretch begins in `values`, and behind the last where that one ends. */
  readonly from: Int32Array;
  /** Minimum and maximum of each stretch; of zeros it may be either. */
  readonly found: Float64Array;
  /** Fills `found`; false when one of the values is not finite. */
  find(stretches: number): boolean;
}

function load(): StretchExtremes | null {
  // The first page belongs to the compiled code: its stack.
  const memory = new WebAssembly.Memory({ initial: 2 });
  const bytes = fromBase64(extremesWasm);
  const [values, from, found] = [pageBytes, pageBytes + 8 * ROWS, pageBytes + 8 * ROWS + 8 * (ROWS + 1)];
  try {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory } });
    const fold = exports.fold as (stretches: number, values: number, from: number, found: number) => number;
    return {
      values: new Float64Array(memory.buffer, values, ROWS),
      from: new Int32Array(memory.buffer, from, ROWS + 1),
      found: new Float64Array(memory.buffer, found, 2 * ROWS),
      find: (stretches) => fold(stretches, values, from, found) === 1,
    };
  } catch {
    return null;
  }
}

/** Null where WebAssembly may not be compiled, as under some policies of pages. */
export const extremes = load();
