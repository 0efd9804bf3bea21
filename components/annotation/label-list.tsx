"use client";

import { useState } from "react";
import { cn } from "@/components/kit/cn";
import { Input } from "@/components/kit/input";
import { KeyHint } from "@/components/kit/kbd";
import { Tooltip } from "@/components/kit/tooltip";
import type { EditorLabel } from "@/domain/annotations/editor-label";

interface LabelListProps {
  labels: readonly EditorLabel[];
  /** Those that are chosen: of the next shape, or the tags that the picture has. */
  chosen: ReadonlySet<string>;
  onChoose: (id: string) => void;
  isDisabled: boolean;
}

/** Labels from which a filter helps. */
const filterFrom = 20;

/** The key that chooses a label by its place in the list. */
const toKeys = (label: EditorLabel, at: number): string | null =>
  label.key ?? (at < 9 ? String(at + 1) : at < 18 ? `shift+${at - 8}` : null);

/** The labels with their keys; pressing one gives it to the selected shapes and to the next one. */
export function LabelList({ labels, chosen, onChoose, isDisabled }: LabelListProps) {
  const [filter, setFilter] = useState("");
  const active = labels.filter((label) => !label.retired);
  const wanted = filter.trim().toLowerCase();
  if (active.length === 0) return <p className="px-3 py-2 text-table text-muted">No labels yet.</p>;
  return (
    <div className="flex flex-col gap-1 px-3 py-2">
      {active.length >= filterFrom && (
        <Input
          type="search"
          aria-label="Filter labels"
          placeholder="Filter labels"
          value={filter}
          onChange={({ currentTarget }) => setFilter(currentTarget.value)}
        />
      )}
      <ul aria-label="Labels" className="flex max-h-44 flex-col overflow-y-auto max-sm:max-h-24">
        {active.map((label, at) => {
          const keys = toKeys(label, at);
          if (!label.name.toLowerCase().includes(wanted)) return null;
          const button = (
            <button
              type="button"
              aria-pressed={chosen.has(label.id)}
              disabled={isDisabled}
              onClick={() => onChoose(label.id)}
              className={cn(
                "flex h-7 w-full min-w-0 items-center gap-2 rounded-control px-1.5 text-left text-table enabled:hover:bg-hover",
                chosen.has(label.id) && "bg-selected font-medium",
              )}
            >
              <span aria-hidden className="size-3 shrink-0 rounded-control" style={{ background: label.color }} />
              <span className="truncate">{label.name}</span>
              {keys !== null && (
                <span className="ml-auto">
                  <KeyHint keys={keys} decorative />
                </span>
              )}
            </button>
          );
          return (
            <li key={label.id}>
              {label.description === "" ? button : <Tooltip content={label.description}>{button}</Tooltip>}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
