import type { DraftOp } from "@/domain/annotations/draft-schema";

/** One change that can be taken back. */
export interface HistoryStep {
  /** Counts up; a step that was taken back gives its number to the next one. */
  n: number;
  undo: readonly DraftOp[];
  redo: readonly DraftOp[];
}

export interface History {
  /** Oldest first. */
  steps: readonly HistoryStep[];
  /** How many of them are done; the others were taken back. */
  done: number;
}

export const noHistory: History = { steps: [], done: 0 };

/** Changes that can be taken back. */
export const maxSteps = 200;

/** The history with one more change, after which what was taken back cannot come again. */
export function addStep(history: History, { undo, redo }: Omit<HistoryStep, "n">): History {
  const done = history.steps.slice(0, history.done);
  const steps = [...done, { n: (done.at(-1)?.n ?? 0) + 1, undo, redo }].slice(-maxSteps);
  return { steps, done: steps.length };
}

/** Whether there is a step to take back, and one to repeat. */
export const canStep = ({ done, steps }: History): { canUndo: boolean; canRedo: boolean } => ({
  canUndo: done > 0,
  canRedo: done < steps.length,
});
