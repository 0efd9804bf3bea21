/** A place of the lane, and the picture that is shown there. */
export interface FilmSlot {
  /** Pixels from the left. */
  x: number;
  /** The place of the picture among those of the camera. */
  index: number;
}

interface FilmRange {
  /** Seconds of the recording. */
  from: number;
  to: number;
}

/** The last of ascending times up to a moment; -1 before the first. */
function findLast(times: readonly number[], at: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * Which pictures are seen in a lane: one in each slot, which lies at the same moments while the lane is moved. `times`: of
 * the pictures, ascending; `span`: of the lane. A slot without a picture near stays empty.
 */
export function laySlots(times: readonly number[], span: FilmRange, width: number, slotWidth: number): FilmSlot[] {
  const [first] = times;
  if (first === undefined || width <= 0 || span.to <= span.from) return [];
  const scale = width / (span.to - span.from);
  const slot = slotWidth / scale;
  const spacing = ((times.at(-1) ?? first) - first) / Math.max(1, times.length - 1);
  const reach = Math.max(slot, 2 * spacing);
  const slots: FilmSlot[] = [];
  for (let n = Math.floor(span.from / slot); n * slot < span.to; n++) {
    const middle = (n + 0.5) * slot;
    const before = findLast(times, middle);
    // The first picture stands in its own slot, although it comes after the middle.
    const index = before >= 0 ? before : first < (n + 1) * slot ? 0 : -1;
    if (index < 0 || middle - times[index]! > reach) continue;
    slots.push({ x: (n * slot - span.from) * scale, index });
  }
  return slots;
}
