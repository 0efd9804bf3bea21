"use client";

import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { formatNumber, plural } from "@/components/kit/format";
import { Truncate, TruncateMiddle } from "@/components/kit/truncate";
import { itemStatusLabels } from "@/domain/datasets/item-status";
import { withoutCondition } from "./read-filter";
import type { ItemCountState } from "./use-item-count";

export interface ItemCountProps {
  /** From `useItemCount`. */
  counted: ItemCountState;
  filter: string;
  /** Takes the filter without one of its conditions. */
  onChange: (filter: string) => void;
  /** Leaves out what the page says elsewhere: how many items the filter holds, and which. */
  brief?: boolean;
}

const number = (value: number): string => formatNumber(value, 0);

function CountLine({ counted }: { counted: ItemCountState }) {
  const { state, count, total } = counted;
  const known =
    count === undefined || total === undefined ? null : (
      <span>
        Holds <strong className="font-medium text-foreground">{number(count)}</strong> of {plural(total, "item")}
      </span>
    );
  const again = (
    <Button size="sm" variant="ghost" onClick={counted.again}>
      Count again
    </Button>
  );
  switch (state) {
    case "exact":
      return known;
    case "counting":
      return (
        <>
          {known ?? "Counting…"}
          {known && <span className="text-subtle">counting…</span>}
          <Button size="sm" variant="ghost" onClick={counted.stop}>
            Stop
          </Button>
        </>
      );
    case "timed_out":
      return (
        <>
          Counting takes longer than 2 s and was stopped. The filter works all the same.
          {again}
        </>
      );
    case "stopped":
      return (
        <>
          {known}
          <span>The count was stopped.</span>
          {again}
        </>
      );
    case "failed":
      return (
        <>
          {known}
          <span className="text-critical-text">Not counted: {counted.error?.message}</span>
          {again}
        </>
      );
    case "invalid":
      return (
        known && (
          <>
            {known} <span className="text-subtle">before the last change</span>
          </>
        )
      );
  }
}

/** What a filter holds, five of these items, and what each of its conditions removes. */
export function ItemCount({ counted, filter, onChange, brief = false }: ItemCountProps) {
  const { count = 0, conditions = [], samples = [], state } = counted;
  const current = state === "exact";
  const severalDatasets = new Set(samples.map(({ dataset_name }) => dataset_name)).size > 1;
  const most = Math.max(0, ...conditions.map(({ without }) => without - count));
  const remove = (at: number) => onChange(withoutCondition(filter, conditions, at));
  return (
    <div className="flex min-w-0 flex-col gap-3 text-table">
      {!brief && (
        <p role="status" className="flex min-h-7 flex-wrap items-center gap-x-2 text-muted tabular-nums">
          <CountLine counted={counted} />
        </p>
      )}
      {conditions.length > 1 && (
        <table className={cn("w-full table-fixed text-table", !current && "text-subtle")}>
          <caption className="sr-only">What each condition removes</caption>
          <thead className="text-meta text-subtle">
            <tr>
              <th scope="col" className="py-1 text-left font-normal">
                Condition
              </th>
              <th scope="col" className="w-24 py-1 text-right font-normal max-sm:hidden">
                Holds alone
              </th>
              <th scope="col" className="w-20 py-1 text-right font-normal">
                Removes
              </th>
              <th scope="col" className="w-20">
                <span className="sr-only">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {conditions.map(({ text, alone, without }, at) => (
              <tr key={`${at} ${text}`} className="border-t border-border">
                <td className="py-1 pr-2 font-mono">
                  <Truncate text={text} />
                </td>
                <td className="py-1 text-right tabular-nums max-sm:hidden">{number(alone)}</td>
                <td
                  className={cn("py-1 text-right tabular-nums", most > 0 && without - count === most && "font-medium")}
                >
                  {number(without - count)}
                </td>
                <td className="py-1 text-right">
                  <Button
                    size="sm"
                    variant="ghost"
                    aria-label={`Remove ${text}`}
                    disabled={!current}
                    onClick={() => remove(at)}
                  >
                    Remove
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {current && count === 0 && <NothingHeld counted={counted} remove={remove} clear={() => onChange("")} />}
      {!brief && samples.length > 0 && (
        <div>
          <h3 className="mb-1 text-meta text-subtle">
            {samples.length < count ? `The newest ${samples.length} of them` : "All of them"}
          </h3>
          <ul aria-label="Items" className={cn("flex flex-col", !current && "text-subtle")}>
            {samples.map((sample) => (
              <li key={sample.uid} className="flex min-w-0 items-baseline gap-3 border-t border-border py-1">
                <span className="min-w-0 flex-1 font-mono">
                  <TruncateMiddle text={sample.key} />
                </span>
                {severalDatasets && (
                  <span className="max-w-40 truncate text-meta text-muted max-sm:hidden" title={sample.dataset_name}>
                    {sample.dataset_name}
                  </span>
                )}
                {sample.width !== null && sample.height !== null && (
                  <span className="shrink-0 text-meta text-subtle tabular-nums max-sm:hidden">
                    {sample.width} × {sample.height}
                  </span>
                )}
                <span className="w-20 shrink-0 text-right text-meta text-muted">{itemStatusLabels[sample.status]}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

interface NothingHeldProps {
  counted: ItemCountState;
  remove: (at: number) => void;
  clear: () => void;
}

/** The way out of a filter that holds nothing: without the condition that removes most. */
function NothingHeld({ counted: { conditions = [], total = 0 }, remove, clear }: NothingHeldProps) {
  if (total === 0) return <p className="text-muted">There are no items yet.</p>;
  const best = conditions.reduce(
    (most, { without }, at) => (without > (conditions[most]?.without ?? 0) ? at : most),
    0,
  );
  const condition = conditions[best];
  return (
    <p className="flex flex-wrap items-center gap-2 text-muted">
      No items match.
      {conditions.length > 1 && condition && condition.without > 0 ? (
        <Button size="sm" onClick={() => remove(best)}>
          Without {condition.text}: {number(condition.without)}
        </Button>
      ) : (
        <Button size="sm" onClick={clear}>
          Clear the filter
        </Button>
      )}
    </p>
  );
}
