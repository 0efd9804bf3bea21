import type { TransformReach } from "@/engine/messages/poses/transform-reader";

const second = 1_000_000_000n;

/** What pages read of transforms around the playhead: little more while the recording plays. */
export const playheadReach: TransformReach = {
  before: 10n * second,
  after: second / 2n,
  ahead: { first: 0n, next: second },
  near: { before: 0n, after: 10n * second },
};
