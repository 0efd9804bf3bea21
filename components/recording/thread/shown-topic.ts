import { FigureState } from "@/engine/messages/scenes/figure-state";
import type { TrailFeed } from "./trail-feed";

/** What a topic shows in a scene at the moment. */
export interface Shown {
  times: bigint[];
  points: Map<bigint, number>;
  /** What all messages up to `until` made of markers and entities. */
  state: FigureState;
  from: bigint;
  until: bigint | null;
  /** When something of it is over. */
  expires: bigint | null;
  said: string;
  /** The way that odometry went. */
  trail: TrailFeed | null;
}

export const createShown = (): Shown => ({
  times: [],
  points: new Map(),
  state: new FigureState(),
  from: 0n,
  until: null,
  expires: null,
  said: "",
  trail: null,
});
