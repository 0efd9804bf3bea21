"use client";

import { useEffect, useSyncExternalStore } from "react";
import { useLatest } from "@/components/kit/latest";
import type { ChosenFile } from "./chosen-files";

/** What takes the files that are dropped anywhere on the page. */
export interface DropTarget {
  /** Said over the page while files are above it; null for one that shows that itself. */
  text: string | null;
  /** Why the person may not drop files here. */
  refusal?: string | undefined;
  onFiles: (files: ChosenFile[]) => void;
}

/** The one that began last takes the files: what is open above a page goes before the page, which goes before others. */
const targets: DropTarget[] = [];
let hovered: DropTarget | null = null;
const listeners = new Set<() => void>();

/** What takes files now; the last resort is for pages that take none themselves. */
export const findTarget = (lastResort: DropTarget): DropTarget => targets.at(-1) ?? lastResort;

/** Says which target files are above; null when they left. */
export function setHovered(target: DropTarget | null): void {
  if (hovered === target) return;
  hovered = target;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The target that files are above. */
export const useHovered = (): DropTarget | null =>
  useSyncExternalStore(
    subscribe,
    () => hovered,
    () => null,
  );

/** Takes files dropped anywhere on the page while it is mounted. Returns whether files are above the page. */
export function useDropTarget({ text, refusal, onFiles }: DropTarget): boolean {
  const take = useLatest(onFiles);
  useEffect(() => {
    const entry = { text, refusal, onFiles: take };
    targets.push(entry);
    return () => {
      targets.splice(targets.indexOf(entry), 1);
      setHovered(null);
    };
  }, [text, refusal, take]);
  return useHovered()?.onFiles === take;
}
