"use client";

import { useState } from "react";
import { useClock } from "@/components/kit/clock";
import { Section } from "@/components/kit/page-header";
import { AlertEvidence } from "./alert-evidence";
import { AlertMetricPlot, AlertPlot, findMetric } from "./alert-plot";
import { AlertSight } from "./alert-sight";
import { hasPictures, type Capture } from "./capture/alert-capture";
import { isCaptureExpected } from "./capture/capture-place";
import type { AlertDetail } from "./query";

/**
 * Why an alert was raised and what the recording holds of it. A picture says most and comes first, as does the room kept
 * for one; where there is none, what triggered it and the plot do.
 */
export function AlertFindings({ alert, capture }: { alert: AlertDetail; capture: Capture | null | undefined }) {
  const isExpected = useClock((now) => isCaptureExpected(alert, now));
  const [isSightFirst, setSightFirst] = useState(hasPictures(capture) || (!capture && isExpected));
  if (hasPictures(capture) && !isSightFirst) setSightFirst(true);
  const sight = <AlertSight key="sight" alert={alert} capture={capture} />;
  return (
    <>
      {isSightFirst && sight}
      <Section
        key="evidence"
        title="What triggered it"
        description={<span className="wrap-anywhere">{alert.message}</span>}
      >
        <AlertEvidence alert={alert} />
      </Section>
      {alert.recording_id && (
        <Section key="plot" title="Around that moment" description="30 seconds before and after it triggered.">
          <AlertPlot alert={alert} />
        </Section>
      )}
      {findMetric(alert) && (
        <Section
          key="metric"
          title="Around that moment"
          description="The hour around it: 45 minutes before and 15 after it triggered."
        >
          <AlertMetricPlot alert={alert} />
        </Section>
      )}
      {!isSightFirst && sight}
    </>
  );
}
