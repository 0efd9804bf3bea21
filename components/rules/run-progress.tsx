"use client";

import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { parseAsString, useQueryState } from "nuqs";
import { formatNumber, plural } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { Progress } from "@/components/kit/progress";
import { Status } from "@/components/product/status";
import { useTRPC } from "@/components/trpc/client";

const pollMs = 1_000;

/** Progress of a run over past recordings whose uid is in the address as `?run=`. */
export function RunProgress({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const [run, setRun] = useQueryState("run", parseAsString);
  const query = useQuery({
    ...trpc.rules.getRun.queryOptions({ uid, run_uid: run ?? "" }),
    enabled: run !== null,
    refetchInterval: ({ state }) =>
      state.data?.status === "pending" || state.data?.status === "running" ? pollMs : false,
  });
  if (run === null || !query.data) return null;
  const { status, processed, total, hit_count, error, progress } = query.data;
  const over = status === "done" || status === "failed";
  return (
    <div role="status" className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b px-4 py-2 text-table sm:px-6">
      {status === "failed" ? (
        <Status tone="error">The run failed: {error}</Status>
      ) : (
        <span>
          {over ? "Ran" : "Running"} over {plural(total, "past recording")}
          {over
            ? ` and hit ${plural(hit_count, "time")}`
            : `: ${formatNumber(processed)} done, ${plural(hit_count, "hit")} so far`}
        </span>
      )}
      {!over && <Progress share={progress} label="Progress of the run" className="w-40" />}
      {over && (
        <IconButton
          label="Hide"
          size="sm"
          icon={<X aria-hidden />}
          className="ml-auto"
          onClick={() => void setRun(null)}
        />
      )}
    </div>
  );
}
