/** Runs of equal pixels that lie row by row, the first of them outside the mask, as CVAT and Label Studio count them. */
export function encodeRows(pixels: Uint8Array): number[] {
  const runs: number[] = [];
  let run = 0;
  let isInside = false;
  for (const pixel of pixels) {
    if ((pixel !== 0) !== isInside) {
      runs.push(run);
      run = 0;
      isInside = !isInside;
    }
    run += 1;
  }
  runs.push(run);
  return runs;
}
