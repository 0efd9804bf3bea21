import { CircleAlert, CircleCheck } from "lucide-react";
import { ItemPicture } from "@/components/items/grid/item-picture";
import type { ItemCell } from "@/components/items/item-source";
import { CodeTabs } from "@/components/kit/code-block";
import { formatDuration, formatNumber, plural } from "@/components/kit/format";
import { toFlatShape } from "@/domain/annotations/flat-shape";
import type { Trial } from "./query";

/** JSON for people, or the text as it is where it is none. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const getScore = ({ attributes }: Trial["predictions"][number]): number | null => {
  const score = attributes["confidence"] ?? attributes["score"];
  return typeof score === "number" ? score : null;
};

const shownPredictions = 50;

/** What a model was sent for an item and what it answered, with its shapes drawn, or the field of the answer that is wrong. */
export function TrialResult({ item, trial }: { item: ItemCell; trial: Trial }) {
  const { error, predictions, left_out: leftOut, clipped_count: clipped, status } = trial;
  const headers = Object.entries(trial.request_headers).map(([name, value]) => `${name}: ${value}`);
  const left = Object.entries(leftOut);
  const tabs = [
    ...(trial.request_body === null
      ? []
      : [{ label: "Request", code: `${headers.join("\n")}\n\n${JSON.stringify(trial.request_body, null, 2)}` }]),
    ...(trial.answer === ""
      ? []
      : [{ label: `Answer${status === null ? "" : ` ${status}`}`, code: pretty(trial.answer) }]),
  ];
  const took = formatDuration(trial.duration_ms);
  return (
    <div className="flex flex-col gap-4">
      <p role="status" className="flex items-start gap-2 text-table">
        {error === null ? (
          <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-online" />
        ) : (
          <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-error" />
        )}
        <span className="min-w-0 break-words">
          {error === null ? `${plural(predictions.length, "prediction")} in ${took}` : `${error} It took ${took}.`}
          {clipped > 0 && `, ${formatNumber(clipped, 0)} clipped to the picture`}
          {left.length > 0 && `, left out: ${left.map(([name, count]) => `${name} (${count})`).join(", ")}`}
        </span>
      </p>
      {error === null && (
        <div className="grid gap-4 sm:grid-cols-2">
          <ItemPicture
            item={item}
            load
            predicted={predictions.flatMap((each) => toFlatShape(each) ?? [])}
            className="h-64 rounded-panel border"
          />
          <ul aria-label="Predictions" tabIndex={0} className="max-h-64 overflow-y-auto text-table">
            {predictions.slice(0, shownPredictions).map((prediction, at) => {
              const score = getScore(prediction);
              return (
                <li key={at} className="flex justify-between gap-3 border-t py-1 first:border-t-0">
                  <span className="min-w-0 truncate">
                    {prediction.label} <span className="text-subtle">{prediction.type}</span>
                  </span>
                  {score !== null && <span className="tabular-nums">{formatNumber(score, 2)}</span>}
                </li>
              );
            })}
            {predictions.length > shownPredictions && (
              <li className="border-t py-1 text-muted">
                and {plural(predictions.length - shownPredictions, "more", "more")}
              </li>
            )}
          </ul>
        </div>
      )}
      {tabs.length > 0 && <CodeTabs label="Request and answer" tabs={tabs} />}
    </div>
  );
}
