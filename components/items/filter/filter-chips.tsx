"use client";

import { Plus, X } from "lucide-react";
import type { Span } from "@/domain/items/filter";
import { withoutCondition } from "./read-filter";

export interface FilterChipsProps {
  value: string;
  conditions: readonly Span[];
  onChange: (value: string) => void;
  /** Opens the text with a part of it selected. */
  onEdit: (at: Span) => void;
}

/** The conditions of a filter as parts that can be removed; they are the text itself, cut where it says AND. */
export function FilterChips({ value, conditions, onChange, onEdit }: FilterChipsProps) {
  return (
    <div className="flex min-w-0 flex-1 flex-wrap items-center gap-1">
      {conditions.map((condition, at) => {
        const text = value.slice(condition.from, condition.to);
        return (
          <span
            key={`${at} ${text}`}
            className="inline-flex h-6 max-w-full items-center rounded-control bg-selected pl-1.5"
          >
            <button
              type="button"
              className="min-w-0 truncate rounded-control font-mono text-meta"
              title={text}
              aria-label={`Edit ${text}`}
              onClick={() => onEdit(condition)}
            >
              {text}
            </button>
            <button
              type="button"
              aria-label={`Remove ${text}`}
              className="flex size-6 shrink-0 items-center justify-center rounded-control text-muted hover:text-foreground"
              onClick={() => onChange(withoutCondition(value, conditions, at))}
            >
              <X aria-hidden className="size-3" />
            </button>
          </span>
        );
      })}
      <button
        type="button"
        className="inline-flex h-6 items-center gap-1 rounded-control px-1.5 text-meta text-muted hover:bg-hover hover:text-foreground"
        onClick={() => {
          const more = value.trim() === "" ? "" : `${value.trimEnd()} AND `;
          onChange(more);
          onEdit({ from: more.length, to: more.length });
        }}
      >
        <Plus aria-hidden className="size-3" />
        Condition
      </button>
    </div>
  );
}
