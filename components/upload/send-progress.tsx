import { Progress } from "@/components/kit/progress";
import type { SendState } from "./use-single-file";

/** How sending a file stands, and what went wrong with it. */
export function SendProgress({
  state,
  problem,
  labels,
}: {
  state: SendState | null;
  problem: string | null;
  /** Of the progress while it is sent, and while the server looks at it. */
  labels: { sending: string; checking: string };
}) {
  return (
    <>
      {state && (
        <div className="flex flex-col gap-1">
          <Progress share={state.share} label={state.share === null ? labels.checking : labels.sending} showLabel />
          {state.waiting && <p className="text-meta text-warning-text">{state.waiting}</p>}
        </div>
      )}
      {problem && (
        <p role="alert" className="text-table text-critical-text">
          {problem}
        </p>
      )}
    </>
  );
}
