import type { VideoTimeline } from "@/engine/messages/pictures/video-timeline";

const second = 1_000_000_000n;
/** How far the next keyframe is looked for, in nanoseconds. */
const maxAhead = 60n * second;

/**
 * The next keyframe of a video after the picture of a moment, or the one before it; null where there is none up to `end`, or
 * within reach of the timeline. Times in nanoseconds since 1970.
 */
export async function findKeyframe(
  timeline: VideoTimeline,
  at: bigint,
  isNext: boolean,
  end: bigint,
): Promise<bigint | null> {
  const located = await timeline.locate(at, 0n);
  if (located.state === "none") return isNext ? located.first : null;
  const { wanted, key } = located;
  if (!isNext) {
    const time = timeline.get(key)?.time ?? null;
    if (time === null || wanted !== key) return time;
    const before = await timeline.locate(time - 1n, 0n);
    return before.state === "none" ? null : (timeline.get(before.key)?.time ?? null);
  }
  for (let ahead = second; ; ahead *= 2n) {
    const found = await timeline.locate(at, ahead);
    if (found.state === "none") return null;
    const next = timeline.findNextKey(found.wanted);
    if (next !== null) return next;
    if (at + ahead > end || ahead > maxAhead) return null;
  }
}
