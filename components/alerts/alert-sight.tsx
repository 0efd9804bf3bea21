"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useClock } from "@/components/kit/clock";
import { Section } from "@/components/kit/page-header";
import { Skeleton } from "@/components/kit/skeleton";
import { useTRPC } from "@/components/trpc/client";
import { isCameraSchema } from "@/engine/messages/pictures/picture-schemas";
import { isLogSchema } from "@/engine/messages/texts/log-line";
import { AlertCapture, hasContent, type Capture } from "./capture/alert-capture";
import { frameShape, isCaptureExpected, notesShape } from "./capture/capture-place";
import type { AlertDetail } from "./query";

interface SightProps {
  alert: AlertDetail;
  capture: Capture | null | undefined;
}

/**
 * What the robot saw when the alert triggered. It is read from the recording after the alert was raised: a page that is open
 * before keeps its place, so that nothing moves when it arrives.
 */
export function AlertSight({ alert, capture }: SightProps) {
  const trpc = useTRPC();
  const isExpected = useClock((now) => isCaptureExpected(alert, now));
  const [isKept] = useState(!capture && isExpected);
  const { data: recording } = useQuery({
    ...trpc.recordings.get.queryOptions({ uid: alert.recording_id ?? "" }),
    enabled: isKept && alert.recording_id !== null,
  });
  const hasMore = hasContent(capture);
  if (!hasMore && !isKept) return null;
  return (
    <Section title="What the robot saw">
      {hasMore ? (
        <AlertCapture capture={capture} recordingId={alert.recording_id} keepsRoom={isKept} />
      ) : capture || !isExpected ? (
        <p className="text-table text-muted">The recording holds nothing of this moment that can be shown.</p>
      ) : (
        <Place
          cameras={recording?.topics.filter(({ schema }) => isCameraSchema(schema)).length ?? 1}
          hasLog={recording?.topics.some(({ schema }) => isLogSchema(schema)) ?? true}
        />
      )}
    </Section>
  );
}

/** As large as pictures with their strip and as ten lines of a log, beside or below each other as they will be. */
function Place({ cameras, hasLog }: { cameras: number; hasLog: boolean }) {
  return (
    <div className="@container">
      <p role="status" className="sr-only">
        What the recording holds of this moment is being read.
      </p>
      <div className="grid gap-4 @2xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        {cameras > 0 && (
          <div className="flex min-w-0 flex-col gap-2">
            {cameras > 1 && <Skeleton className="h-8" />}
            <div className="flex flex-col gap-1">
              <Skeleton className={frameShape} />
              <Skeleton className="h-4" />
            </div>
            <div className="grid grid-cols-4 gap-1 sm:gap-2">
              {[0, 1, 2, 3].map((at) => (
                <div key={at} className="flex flex-col gap-0.5 border border-transparent p-0.5">
                  <Skeleton className="aspect-4/3" />
                  <Skeleton className="h-4" />
                </div>
              ))}
            </div>
          </div>
        )}
        {hasLog && (
          <div className="flex flex-col gap-3">
            <Skeleton className="h-50" />
            <div className={notesShape} />
          </div>
        )}
      </div>
    </div>
  );
}
