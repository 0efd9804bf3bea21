import { formatDuration } from "@/components/kit/format";
import { InstantTime } from "@/components/kit/time";
import { Status } from "@/components/product/status";

interface Attempt {
  started_at: string;
  duration_ms: number;
  ok: boolean;
  status_code: number | null;
  error: string | null;
  response: string | null;
}

/** The attempts to send a message, the first one first, each with what was responded. */
export function AttemptList({ attempts, success }: { attempts: readonly Attempt[]; success: string }) {
  return (
    <ol className="flex flex-col gap-3">
      {attempts.map((attempt, at) => (
        <li key={attempt.started_at} className="border-l-2 pl-3 text-table">
          <div className="flex flex-wrap items-center gap-x-3">
            <Status tone={attempt.ok ? "online" : "error"}>{attempt.ok ? success : "Failed"}</Status>
            <span className="tabular-nums">
              {attempt.status_code !== null && `Status ${attempt.status_code}, `}
              {formatDuration(attempt.duration_ms)}
            </span>
            <span className="ml-auto text-meta text-subtle">
              {at + 1}. <InstantTime value={attempt.started_at} />
            </span>
          </div>
          {attempt.error && <p className="break-words text-error-text">{attempt.error}</p>}
          {attempt.response && (
            <pre
              tabIndex={0}
              aria-label={`Response ${at + 1}`}
              className="mt-1 max-h-32 overflow-auto rounded-control bg-background px-2 py-1 text-meta whitespace-pre-wrap"
            >
              {attempt.response}
            </pre>
          )}
        </li>
      ))}
    </ol>
  );
}
