"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { announce } from "@/components/kit/live-region";
import { toast } from "@/components/product/toast";
import { useTRPC } from "@/components/trpc/client";
import { describeFrame, FrameWalk, type Frame, type Recorded } from "./frame-walk";

/** The address of a frame of a recording, in a size for the stage. */
export const frameHref = ({ recording, topic }: Recorded, { t_ns: t }: Frame): string =>
  `/media/stages/${recording}/frame?${new URLSearchParams({ topic, t }).toString()}`;

/** Fetches and decodes the picture of a frame; one that cannot be shown is said to be so where it is shown. */
async function fetchPicture(frame: Frame, recorded: Recorded): Promise<void> {
  const picture = new Image();
  picture.src = frameHref(recorded, frame);
  await picture.decode().catch(() => {});
}

/** The frames that the recording of a task's item has around it. */
export function useFrameWalk(task: string) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [walk] = useState(() => {
    const read = (around?: string) =>
      queryClient.fetchQuery({
        ...trpc.tasks.neighbours.queryOptions({ uid: task, frames: true, ...(around !== undefined && { around }) }),
        staleTime: 0,
      });
    return new FrameWalk({ read, prepare: fetchPicture, say: (text) => toast.failure(text) });
  });
  const state = useSyncExternalStore(walk.subscribe, walk.getState, walk.getState);
  const { shown, recorded, note } = state;
  useEffect(() => {
    if (shown && recorded) announce(describeFrame(shown, recorded));
  }, [shown, recorded]);
  useEffect(() => {
    if (note !== null) announce(note);
  }, [note]);
  const verbs = useMemo(
    () => ({
      step: (by: 1 | -1) =>
        void walk.step(by).catch((error: unknown) => toast.failure(error, { title: "No frame could be read" })),
      leave: walk.leave,
      // What is shown stays as it was where it cannot be read anew.
      refresh: () => void walk.refresh().catch(() => {}),
    }),
    [walk],
  );
  return { ...state, ...verbs };
}
export type Frames = ReturnType<typeof useFrameWalk>;
