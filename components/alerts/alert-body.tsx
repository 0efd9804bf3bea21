"use client";

import { usePrefetchQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { SkeletonText } from "@/components/kit/skeleton";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC } from "@/components/trpc/client";
import { AlertAround, useAround } from "./alert-around";
import { AlertEvidence } from "./alert-evidence";
import { AlertFacts } from "./alert-facts";
import { AlertGuidance } from "./alert-guidance";
import { AlertHistory } from "./alert-history";
import { AlertMetricPlot, AlertPlot, findMetric } from "./alert-plot";
import { AlertTimeline } from "./alert-timeline";
import { AlertCapture, hasContent, hasPictures, useCapture } from "./capture/alert-capture";
import { CommentForm } from "./comment-form";
import { CoveringRecording, isLive } from "./covering-recording";
import type { AlertDetail } from "./query";
import type { Triage } from "./triage";

/** A part of an alert under its heading. */
function AlertPart({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="min-w-0">
      <h3 className="mb-2 text-table font-semibold">{title}</h3>
      {children}
    </section>
  );
}

interface AlertBodyProps {
  /** Undefined while it loads. */
  detail: AlertDetail | undefined;
  triage: Triage;
  error: unknown;
  onRetry: () => void;
}

/** Everything about an alert in one column: what triggered it, the plot of that moment, facts, history, timeline. */
export function AlertBody({ detail, triage, error, onRetry }: AlertBodyProps) {
  if (!detail) {
    return error ? (
      <ErrorState error={error} title="This alert could not be loaded" onRetry={onRetry} />
    ) : (
      <SkeletonText lines={8} />
    );
  }
  return <LoadedBody key={detail.uid} detail={detail} triage={triage} />;
}

function LoadedBody({ detail, triage }: { detail: AlertDetail; triage: Triage }) {
  const trpc = useTRPC();
  const capture = useCapture(detail.uid);
  const around = useAround(detail.uid);
  usePrefetchQuery(trpc.alerts.previous.queryOptions({ uid: detail.uid }));
  usePrefetchQuery(trpc.alerts.timeline.queryOptions({ uid: detail.uid }));
  // Their heights decide where everything below stands.
  if (capture === undefined || around.isPending) return <SkeletonText lines={8} />;
  const sight = hasContent(capture) && (
    <AlertPart title="What the robot saw">
      <AlertCapture capture={capture} recordingId={detail.recording_id} />
    </AlertPart>
  );
  return (
    <div className="flex flex-col gap-6">
      <p className="text-body wrap-anywhere">{detail.message}</p>
      <AlertGuidance guidance={detail.guidance} />
      {hasPictures(capture) && sight}
      <AlertPart title="What triggered it">
        <AlertEvidence alert={detail} />
      </AlertPart>
      {detail.recording_id && (
        <AlertPart title="Around that moment">
          <AlertPlot alert={detail} />
        </AlertPart>
      )}
      {findMetric(detail) && (
        <AlertPart title="Around that moment">
          <AlertMetricPlot alert={detail} />
        </AlertPart>
      )}
      {!hasPictures(capture) && sight}
      {isLive(detail) && (
        <AlertPart title="Recording of this moment">
          <CoveringRecording alert={detail} />
        </AlertPart>
      )}
      <AlertPart title="What else happened within a minute">
        <AlertAround alert={detail} capture={capture} />
      </AlertPart>
      <AlertFacts alert={detail} triage={triage} />
      <AlertPart title="This rule on this device before">
        <AlertHistory uid={detail.uid} />
      </AlertPart>
      <AlertPart title="Timeline">
        <AlertTimeline alert={detail} />
      </AlertPart>
      <CommentForm uid={detail.uid} />
    </div>
  );
}
