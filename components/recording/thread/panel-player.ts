/** What shows a topic in a canvas at the playhead. */
export interface PanelPlayer {
  readonly topic: string;
  /** Shows the picture at a moment; resolves when it, or one wanted later, is shown. `speed`: 0 while the playhead rests. */
  show(at: bigint, speed: number): Promise<void>;
  /** Draws the picture again with the next moment that is shown, since the view draws otherwise. */
  refresh(): void;
  close(): void;
}
