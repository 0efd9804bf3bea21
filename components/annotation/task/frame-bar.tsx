"use client";

import { useQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight, Plus } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "@/components/kit/button";
import { IconButton } from "@/components/kit/icon-button";
import { KeyHint } from "@/components/kit/kbd";
import { MomentProgress } from "@/components/moments/moment-progress";
import { useAddMoment } from "@/components/moments/use-add-moment";
import { usePermissions } from "@/components/product/permissions";
import { useTRPC } from "@/components/trpc/client";
import { describeFrame, type Frame, type Recorded } from "./frame-walk";
import type { Frames } from "./use-frame-walk";

interface FrameBarProps {
  task: string;
  frame: Frame;
  recorded: Recorded;
  /** Its picture could not be loaded. */
  hasFailed: boolean;
  /** Why there is no other frame where somebody wanted to go. */
  note: string | null;
  frames: Pick<Frames, "step" | "leave" | "refresh">;
}

/** What a frame of the recording is that the stage shows in place of the item, and what can be done with it. */
export function FrameBar({ task, frame, recorded, hasFailed, note, frames }: FrameBarProps) {
  const trpc = useTRPC();
  const reason = usePermissions().refusal();
  const { busy, added, add } = useAddMoment();
  const [asked, setAsked] = useState<string | null>(null);
  const dataset = useQuery(trpc.items.ofTask.queryOptions({ uid: task })).data?.dataset;
  const status = useQuery({
    ...trpc.moments.get.queryOptions({ uid: added ?? "" }),
    enabled: added !== null,
  }).data?.status;
  const { refresh } = frames;
  useEffect(() => {
    if (status === "done" || status === "undone") refresh();
  }, [status, refresh]);
  const isOnItsWay = asked === frame.t_ns && (status === "waiting" || status === "extracting");
  const refusal =
    reason ?? (frame.item !== null ? "The dataset has it." : isOnItsWay ? "It is on its way." : undefined);
  const addFrame = () => {
    if (!dataset) return;
    const { recording: recording_id, topic } = recorded;
    const at = { from: frame.t_ns, to: frame.t_ns };
    setAsked(frame.t_ns);
    void add(dataset, { kind: "range", input: { recording_id, ...at, topics: [topic] } });
  };
  return (
    <div
      role="group"
      aria-label="Frame of the recording"
      className="absolute inset-x-2 top-2 flex flex-wrap items-center gap-2 rounded-panel border bg-raised px-2 py-1 shadow-float"
    >
      <IconButton
        size="sm"
        label="Frame before"
        keys="mod+,"
        icon={<ChevronLeft aria-hidden />}
        onClick={() => frames.step(-1)}
      />
      <IconButton
        size="sm"
        label="Frame after"
        keys="mod+."
        icon={<ChevronRight aria-hidden />}
        onClick={() => frames.step(1)}
      />
      <p className="min-w-0 flex-1 basis-60 text-table">
        {describeFrame(frame, recorded)}
        {hasFailed && ". It cannot be shown."}
        {note !== null && `. ${note}`}
      </p>
      {added !== null && <MomentProgress uid={added} />}
      <Button
        size="sm"
        icon={<Plus aria-hidden />}
        busy={busy}
        disabled={!dataset}
        disabledReason={refusal}
        onClick={addFrame}
      >
        Add this frame
      </Button>
      <Button size="sm" variant="primary" onClick={frames.leave}>
        Back to the item
        <KeyHint keys="escape" inverted decorative />
      </Button>
    </div>
  );
}
