import { formatDuration } from "@/components/kit/format";
import type { Outputs } from "@/components/trpc/client";

type Neighbours = Outputs["tasks"]["neighbours"];
export type Recorded = NonNullable<Neighbours["recorded"]>;
export type Frame = Recorded["around"];

/** Presses that are kept until the frames are known; a key that is held down makes no more. */
const maxKept = 10;

export interface WalkState {
  /** The frame that is shown; null: the item itself. */
  shown: Frame | null;
  /** The recording that it is of; null until somebody went to a frame. */
  recorded: Recorded | null;
  /** Why the last press led to no other frame. */
  note: string | null;
}

interface WalkOptions {
  /** The frames around a moment, without one around the item. */
  read: (around?: string) => Promise<Pick<Neighbours, "recorded" | "refusal">>;
  /** Is awaited before a frame is shown, so that its picture is there at once. */
  prepare: (frame: Frame, recorded: Recorded) => Promise<void>;
  /** Says why there is no frame to show. */
  say: (text: string) => void;
}

/** Goes through the frames of the recording that an item is of. Knows neither React nor the network. */
export class FrameWalk {
  state: WalkState = { shown: null, recorded: null, note: null };
  private readonly listeners = new Set<() => void>();
  private kept = 0;
  private isWalking = false;
  /** How often somebody went back to the item: what is on its way then is not shown. */
  private left = 0;

  constructor(private readonly options: WalkOptions) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };
  readonly getState = (): WalkState => this.state;

  /** Goes to the frame before or after the one that is shown. Rejects where frames cannot be read. */
  async step(by: 1 | -1): Promise<void> {
    this.kept = Math.max(-maxKept, Math.min(maxKept, this.kept + by));
    if (this.isWalking) return;
    this.isWalking = true;
    try {
      while (this.kept !== 0) {
        const next = this.kept > 0 ? 1 : -1;
        this.kept -= next;
        await this.go(next);
      }
    } finally {
      this.isWalking = false;
      this.kept = 0;
    }
  }

  /** Shows the item again. */
  readonly leave = (): void => {
    this.kept = 0;
    this.left += 1;
    this.set({ shown: null, note: null });
  };

  /** Reads anew what the dataset has of the frames. */
  readonly refresh = async (): Promise<void> => {
    const { shown } = this.state;
    if (shown === null) return this.set({ recorded: null });
    const { recorded } = await this.options.read(shown.t_ns);
    if (recorded === null || this.state.shown?.t_ns !== shown.t_ns) return;
    this.set({ recorded, shown: recorded.around });
  };

  private set(change: Partial<WalkState>): void {
    this.state = { ...this.state, ...change };
    for (const listener of this.listeners) listener();
  }

  private get at(): string | undefined {
    return this.state.shown?.t_ns ?? this.state.recorded?.item_ns;
  }

  private find(by: 1 | -1): Frame | undefined {
    const { recorded } = this.state;
    if (recorded === null) return undefined;
    const line = [...recorded.before, recorded.around, ...recorded.after];
    const from = line.findIndex(({ t_ns }) => t_ns === this.at);
    return from === -1 ? undefined : line[from + by];
  }

  private async go(by: 1 | -1): Promise<void> {
    const { left } = this;
    let to = this.find(by);
    if (to === undefined) {
      const { recorded, refusal } = await this.options.read(this.state.shown?.t_ns);
      if (left !== this.left) return;
      if (recorded === null) return this.stop(refusal ?? "This item is no frame of a recording.");
      this.set({ recorded });
      to = this.find(by);
    }
    const { recorded } = this.state;
    if (to === undefined || recorded === null)
      return this.stop(`The recording has no frame ${by < 0 ? "before" : "after"} this one.`);
    if (to.t_ns === recorded.item_ns) return this.set({ shown: null, note: null });
    await this.options.prepare(to, recorded);
    if (left === this.left) this.set({ shown: to, note: null });
  }

  private stop(text: string): void {
    this.kept = 0;
    if (this.state.shown) this.set({ note: text });
    else this.options.say(text);
  }
}

/** How far a frame is from its item, in milliseconds; negative before it. */
const toOffsetMs = ({ t_ns }: Frame, { item_ns }: Recorded): number => Number(BigInt(t_ns) - BigInt(item_ns)) / 1e6;

/** "Frame 1.2 s before, not in the dataset". */
export function describeFrame(frame: Frame, recorded: Recorded): string {
  const offset = toOffsetMs(frame, recorded);
  const name = frame.item?.split("/").at(-1);
  const state = name === undefined ? "not in the dataset" : `in the dataset as ${name}`;
  return `Frame ${formatDuration(Math.abs(offset))} ${offset < 0 ? "before" : "after"}, ${state}`;
}
