"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Suspense, useId, useState } from "react";
import { cn } from "@/components/kit/cn";
import { lazyPart } from "@/components/kit/lazy-part";
import { useTRPCClient } from "@/components/trpc/client";
import { filterConditions, type Filter, type Span } from "@/domain/items/filter";
import { FilterChips } from "./filter-chips";
import { readFilter } from "./read-filter";
import type { FetchVocabulary, Vocabulary } from "./suggestions";

const FilterEditor = lazyPart(async () => (await import("./filter-editor")).default);

export interface FilterBoxProps {
  /** The datasets whose fields and values are suggested. */
  datasets: readonly string[];
  value: string;
  onChange: (value: string) => void;
  /** Enter was pressed. */
  onRun: () => void;
  /** Names the box: "Filter items". */
  label: string;
  id?: string;
}

const vocabularyMs = 60_000;
/** A full list of values may lack some that contain what is typed. */
const maxValues = 30;

function useVocabulary(datasets: readonly string[]): FetchVocabulary {
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const get = (field: string | undefined, prefix: string): Promise<Vocabulary> => {
    if (datasets.length === 0) return Promise.resolve({ fields: [], values: [], exact: false });
    return queryClient.fetchQuery({
      queryKey: [["items", "vocabulary"], datasets, field, prefix],
      staleTime: vocabularyMs,
      retry: false,
      queryFn: () =>
        client.items.vocabulary.mutate({ datasets: [...datasets], ...(field !== undefined && { field, prefix }) }),
    });
  };
  return async (field, prefix = "") => {
    try {
      const common = await get(field, "");
      return field === undefined || prefix === "" || common.values.length < maxValues
        ? common
        : await get(field, prefix.slice(0, 200));
    } catch {
      // Without suggestions the box is still a box.
      return { fields: [], values: [], exact: false };
    }
  };
}

const isPlain = (part: Filter): boolean => part.type === "is" || (part.type === "not" && part.part.type === "is");

/** The conditions of a filter that is a flat AND of comparisons; null for any other. */
function flatConditions(value: string): readonly Span[] | null {
  const { filter, fault } = readFilter(value);
  const parts = filterConditions(filter);
  return !fault && parts.every(isPlain) ? parts : null;
}

/**
 * The filter language of items, completed and checked while it is typed, for every place that selects items. The same
 * filter can be shown as chips where all of its conditions have to hold.
 */
export function FilterBox({ datasets, value, onChange, onRun, label, id }: FilterBoxProps) {
  const ownId = useId();
  const boxId = id ?? ownId;
  const noteId = `${boxId}-note`;
  const [mode, setMode] = useState<"text" | "chips">("text");
  const [focus, setFocus] = useState<Span | null>(null);
  const vocabulary = useVocabulary(datasets);
  const { fault } = readFilter(value);
  const conditions = flatConditions(value);
  // What stopped being a flat AND can be shown as text only.
  const chips = mode === "chips" ? conditions : null;

  const edit = (at: Span) => {
    setFocus(at);
    setMode("text");
  };

  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div
        className={cn(
          "flex min-h-8 min-w-0 items-start gap-2 rounded-panel border bg-raised py-1 pr-1 pl-2.5 transition-colors",
          fault && !fault.incomplete ? "border-critical" : "border-border-strong",
          "has-[.cm-focused]:outline-2 has-[.cm-focused]:outline-offset-2 has-[.cm-focused]:outline-accent",
        )}
      >
        {chips ? (
          <FilterChips value={value} conditions={chips} onChange={onChange} onEdit={edit} />
        ) : (
          <Suspense
            // As high as the editor.
            fallback={
              <div className="max-h-30 min-h-5 min-w-0 flex-1 overflow-hidden pb-0.5 font-mono text-table leading-5 wrap-anywhere whitespace-break-spaces text-muted">
                {value}
              </div>
            }
          >
            <FilterEditor
              value={value}
              onChange={onChange}
              onRun={onRun}
              label={label}
              id={boxId}
              describedBy={noteId}
              invalid={fault !== null && !fault.incomplete}
              vocabulary={vocabulary}
              focus={focus}
            />
          </Suspense>
        )}
        <button
          type="button"
          className="h-6 shrink-0 rounded-control px-1.5 text-meta text-muted hover:bg-hover hover:text-foreground disabled:opacity-60 disabled:hover:bg-transparent"
          disabled={conditions === null}
          title={conditions === null ? "Only conditions that are all joined by AND can be shown as chips." : undefined}
          onClick={() => (chips ? edit({ from: value.length, to: value.length }) : setMode("chips"))}
        >
          {chips ? "Text" : "Chips"}
        </button>
      </div>
      <p
        id={noteId}
        aria-live="polite"
        className={cn(
          "min-h-4 text-meta max-sm:min-h-0",
          fault && !fault.incomplete ? "text-critical-text" : "text-subtle",
        )}
      >
        {fault
          ? `${fault.message}.`
          : !chips && (
              // Phones have no such keys.
              <span className="max-sm:hidden">Ctrl+Space suggests, Tab takes, Enter runs, Esc leaves.</span>
            )}
      </p>
    </div>
  );
}
