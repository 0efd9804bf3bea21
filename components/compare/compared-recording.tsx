"use client";

import Link from "next/link";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { InstantTime } from "@/components/kit/time";
import { DeviceLink } from "@/components/product/device-link";
import { ErrorState } from "@/components/product/error-state";
import { RecordingDuration, recordingLooks } from "@/components/product/recording-cells";
import { recordingHref } from "@/components/product/recording-links";
import { Status } from "@/components/product/status";
import { recordingTitle } from "@/components/recordings/query";
import type { Letter } from "./compared-letter";
import { LetterMark } from "./letter-mark";
import { RecordingChoice } from "./recording-choice";
import type { Compared } from "./use-compared";

interface ComparedRecordingProps {
  letter: Letter;
  compared: Compared;
  other: string | null;
  onChoose: (uid: string) => void;
}

/** Which recording a letter stands for, and the choice of another one. */
export function ComparedRecording({ letter, compared, other, onChoose }: ComparedRecordingProps) {
  const { recording, isMissing, isNamed, error, refetch } = compared;
  const [isChoosing, setChoosing] = useState(false);
  const hasChoice = isChoosing || isMissing || !isNamed;
  return (
    <section
      aria-label={`Recording ${letter}`}
      className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 rounded-panel border px-3 py-1 text-table"
    >
      <LetterMark letter={letter} />
      {recording && (
        <>
          <Link
            href={recordingHref(recording.uid)}
            className="min-w-0 rounded-control font-medium wrap-anywhere hover:underline max-sm:flex-1"
          >
            {recordingTitle(recording)}
          </Link>
          <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1 text-muted max-sm:order-last max-sm:basis-full">
            <DeviceLink of={recording} className="underline underline-offset-2" />
            <InstantTime value={recording.started_at} />
            <RecordingDuration recording={recording} unknown={null} />
            {recording.status !== "ready" && (
              <Status tone={recordingLooks[recording.status].tone}>{recordingLooks[recording.status].label}</Status>
            )}
          </span>
          <Button size="sm" aria-expanded={isChoosing} onClick={() => setChoosing(!isChoosing)}>
            Choose another
          </Button>
        </>
      )}
      {isMissing && (
        <p className="text-muted">
          Not found: no recording of this organization has this uid. It was deleted, or it belongs to another one.
        </p>
      )}
      {error !== null && recording === null && (
        <ErrorState error={error} title="This recording could not be loaded" onRetry={() => void refetch()} />
      )}
      {hasChoice && (
        <RecordingChoice
          label={`Recording ${letter}`}
          other={other}
          onChoose={(uid) => {
            setChoosing(false);
            onChoose(uid);
          }}
        />
      )}
    </section>
  );
}
