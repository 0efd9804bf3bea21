"use client";

import { useMemo } from "react";
import { formatNumber, plural } from "@/components/kit/format";
import { SkeletonText } from "@/components/kit/skeleton";
import { Sweep } from "@/components/kit/sweep";
import { ErrorState } from "@/components/product/error-state";
import { readFailure } from "@/components/product/failure";
import { Status } from "@/components/product/status";
import { HitSummary, rateOverLast } from "./hit-summary";
import { LivePreviewDevices } from "./live/live-preview-devices";
import type { Found, LivePreview } from "./query";
import { useLivePreview } from "./use-live-preview";
import { useReports, type PreviewPaneProps } from "./use-reports";

const toDays = (days: number): string => (days === 1 ? "the last day" : `the last ${days} days`);

function Summary({ preview }: { preview: LivePreview }) {
  const { hit_count: hits, devices_evaluated: devices } = preview;
  if (hits === 0) return <p className="text-section">It would not have triggered on {plural(devices, "device")}.</p>;
  return <HitSummary preview={preview} devices={devices} rate={rateOverLast(hits, preview.days)} />;
}

/** What was left out for being too much. */
function Limit({ preview }: { preview: LivePreview }) {
  const { limit, devices_evaluated: evaluated, devices_total: total } = preview;
  if (limit === null) return null;
  const why = {
    devices: "They are those that were seen last.",
    points: "A preview reads no more heartbeats.",
    time: "Reading more heartbeats takes too long.",
  }[limit];
  return (
    <Status tone="warning" className="whitespace-normal!">
      {evaluated < total
        ? `Looked at ${formatNumber(evaluated)} of ${plural(total, "device")} in scope. ${why}`
        : `Not all heartbeats were looked at. ${why}`}
    </Status>
  );
}

function Result({ preview }: { preview: LivePreview }) {
  const { devices_total: total, devices_reporting: reporting, hit_count: hits, point_count: points, days } = preview;
  if (total === 0) return <p className="text-table text-muted">No device is in scope.</p>;
  if (reporting === 0 && hits === 0 && preview.limit === null) {
    return (
      <p className="text-table text-muted">
        No heartbeats of {total === 1 ? "this device" : `these ${formatNumber(total)} devices`} are kept from{" "}
        {toDays(days)}: there is nothing to look at.
      </p>
    );
  }
  return (
    <>
      <div className="flex flex-col gap-1">
        <Summary preview={preview} />
        <p className="text-table text-muted">
          Over the heartbeats of {toDays(days)}: {formatNumber(points)} of {plural(reporting, "device")}.
        </p>
      </div>
      <Limit preview={preview} />
      {hits > 0 && <LivePreviewDevices preview={preview} />}
    </>
  );
}

/** Where a condition on heartbeats would have triggered in those that are kept. */
export function LivePreviewPane(props: PreviewPaneProps) {
  const { condition, scope, children } = props;
  const { data, error, refetch, complete, waiting } = useLivePreview({ condition, scope });
  const failure = useMemo(() => (error ? readFailure(error) : null), [error]);
  const found = useMemo(
    (): Found | null =>
      failure || !data
        ? null
        : {
            ...data,
            among: data.devices_reporting === 0 ? null : "devices",
            rate: rateOverLast(data.hit_count, data.days),
          },
    [failure, data],
  );
  useReports(props, complete ? found : null, failure?.issues);
  return (
    <section aria-label="Preview" className="flex min-w-0 flex-col gap-4">
      <div className="flex flex-col gap-1">
        <h2 className="text-table font-semibold">Preview</h2>
        <p className="text-table text-muted">
          Once saved, this rule is evaluated as heartbeats arrive: its alert opens within seconds and resolves by itself
          when the device has recovered. It looks at no recordings.
        </p>
      </div>
      {children}
      <div aria-live="polite" aria-busy={waiting || undefined} className="flex min-w-0 flex-col gap-4">
        {!complete && (
          <p className="text-table text-muted">
            Choose a metric and a value to see where this rule would have triggered.
          </p>
        )}
        {complete && failure && failure.status === 400 && (
          <p className="text-table text-muted">
            The condition cannot be previewed yet: see the marked fields on the left.
          </p>
        )}
        {complete && failure && failure.status !== 400 && (
          <ErrorState error={error} title="The preview could not be computed" onRetry={() => void refetch()} />
        )}
        {complete && !failure && !data && <SkeletonText lines={5} />}
        {complete && !failure && data && (
          <div>
            {waiting && <Sweep />}
            <div className="flex flex-col gap-4">
              <Result preview={data} />
            </div>
          </div>
        )}
      </div>
    </section>
  );
}
