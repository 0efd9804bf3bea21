/** Whether functions may be made from text: the policies of pages and their threads forbid it. */
export function canGenerateCode(): boolean {
  try {
    // oxlint-disable-next-line typescript/no-implied-eval
    return new Function("return true")() === true;
  } catch {
    return false;
  }
}

/** Characters of the texts whose functions are kept. */
const maxKept = 4_000_000;
const kept = new Map<string, unknown>();
let keptLength = 0;

/**
 * What the body of a function returns, made once for each text: the recordings of one robot have the same types, and a
 * function that was made before is compiled already. It must keep nothing between two calls.
 */
export function generateOnce<T>(body: string): T {
  let made = kept.get(body);
  if (made === undefined) {
    if (keptLength + body.length > maxKept) {
      kept.clear();
      keptLength = 0;
    }
    // Compilation is intended here; callers let nothing but numbers that they computed enter the text.
    // oxlint-disable-next-line typescript/no-implied-eval
    made = (new Function(body) as () => unknown)();
    kept.set(body, made);
    keptLength += body.length;
  }
  return made as T;
}
