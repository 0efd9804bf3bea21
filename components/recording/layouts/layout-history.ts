import type { Layout } from "@/domain/layouts/tree";

/** Steps that can be undone. */
const maxSteps = 20;

/** A layout while somebody changes it. */
export interface LayoutHistory {
  now: Layout;
  past: readonly Layout[];
  future: readonly Layout[];
  /** What the last change was about: another of the same replaces it, so that typing is one step. */
  about: string | null;
}

export type LayoutAction =
  | { type: "change"; change: (layout: Layout) => Layout; about?: string }
  | { type: "undo" | "redo" }
  | { type: "open"; layout: Layout };

export const startHistory = (layout: Layout): LayoutHistory => ({ now: layout, past: [], future: [], about: null });

/** The history after an action. */
export function reduceHistory(history: LayoutHistory, action: LayoutAction): LayoutHistory {
  const { now, past, future } = history;
  switch (action.type) {
    case "open":
      return startHistory(action.layout);
    case "undo": {
      const before = past.at(-1);
      return before === undefined
        ? history
        : { now: before, past: past.slice(0, -1), future: [now, ...future], about: null };
    }
    case "redo": {
      const [after, ...rest] = future;
      return after === undefined ? history : { now: after, past: [...past, now], future: rest, about: null };
    }
    case "change": {
      const next = action.change(now);
      if (isSameLayout(next, now)) return history;
      const about = action.about ?? null;
      if (about !== null && about === history.about) return { now: next, past, future: [], about };
      return { now: next, past: [...past, now].slice(-maxSteps), future: [], about };
    }
  }
}

/** Whether two layouts are the same; the order of members does not count. */
export const isSameLayout = (a: Layout, b: Layout): boolean => a === b || toText(a) === toText(b);

const toText = (layout: Layout): string =>
  JSON.stringify(layout, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
