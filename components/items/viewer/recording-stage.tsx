"use client";

import { Download } from "lucide-react";
import { itemMediaHref } from "@/components/items/item-media";
import { readNumber, type ViewedItem } from "@/components/items/item-type";
import { buttonStyles, ButtonLink } from "@/components/kit/button";
import { formatDuration, formatNumber, plural } from "@/components/kit/format";
import { KeyValue } from "@/components/kit/key-value";
import { recordingHref } from "@/components/product/recording-links";
import { exactIsoFromNs } from "@/domain/time/nanoseconds";

/** An item that is a recording: its panels are those of its recording, where that is there. */
export function RecordingStage({ item }: { item: ViewedItem }) {
  const { source } = item;
  const recording = source.links.find(({ kind, exists }) => kind === "recording" && exists);
  const seconds = readNumber(item, "duration_seconds");
  const [topics, messages] = [readNumber(item, "topic_count"), readNumber(item, "message_count")];
  const moment = source.t_ns === null ? {} : { t: exactIsoFromNs(BigInt(source.t_ns)) };
  return (
    <div className="flex size-full items-center justify-center overflow-y-auto p-6">
      <div className="flex max-w-120 flex-col gap-4">
        <KeyValue
          items={[
            ["Topics", topics === null ? null : plural(topics, "topic")],
            ["Messages", messages === null ? null : formatNumber(messages)],
            ["Duration", seconds === null ? null : formatDuration(seconds * 1_000)],
          ]}
        />
        <p className="text-table text-muted">
          {recording
            ? "Its recording is there, with its timeline and panels."
            : "Its recording is no longer there, or it was uploaded to the dataset itself. Upload the file as a recording to see it in panels."}
        </p>
        <div className="flex flex-wrap gap-2">
          {recording && (
            <ButtonLink variant="primary" href={recordingHref(recording.uid, moment)}>
              Open the recording
            </ButtonLink>
          )}
          <a
            href={itemMediaHref(item.uid, "data")}
            download={item.key.split("/").at(-1)}
            className={buttonStyles({ variant: "secondary" })}
          >
            <Download aria-hidden /> Download
          </a>
        </div>
      </div>
    </div>
  );
}
