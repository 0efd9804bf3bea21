"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { readFailure } from "@/components/product/failure";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { putFile, UploadFailed } from "@/components/upload/put-file";
import type { RobotDescription } from "./query";

/** How an upload stands: a share of the bytes, then the check. */
export interface UploadState {
  /** 0 to 1; null while the zip is checked. */
  share: number | null;
  /** Why nothing is being sent at the moment. */
  waiting: string | null;
}

/** Sends the zip of a device type and has it checked; it ends with the dialog. */
export function useUpload(onDone: (description: RobotDescription) => void) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [state, setState] = useState<UploadState | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);

  const upload = async (deviceType: string, file: File) => {
    const { signal } = (abort.current = new AbortController());
    setProblem(null);
    setState({ share: 0, waiting: null });
    const begin = () => client.robotDescriptions.create.mutate({ device_type: deviceType, size_bytes: file.size });
    try {
      let uid = "";
      await putFile({
        file,
        isFresh: true,
        deletedText: "The upload was given up. Start it again.",
        // Asked for again when a link has expired: another upload begins then.
        target: async () => {
          const begun = await begin();
          ({ uid } = begun);
          return { url: begun.put_url, headers: {}, resumable: true };
        },
        signal,
        onProgress: (bytes) => setState({ share: bytes / Math.max(1, file.size), waiting: null }),
        onWaiting: (waiting) => setState((now) => now && { ...now, waiting: waiting?.reason ?? null }),
      });
      setState({ share: null, waiting: null });
      const made = await client.robotDescriptions.finalize.mutate({ uid });
      await queryClient.invalidateQueries(trpc.robotDescriptions.pathFilter());
      if (!signal.aborted) onDone(made);
    } catch (error) {
      if (signal.aborted) return;
      const { detail, issues } = readFailure(error);
      setProblem(error instanceof UploadFailed ? error.message : (issues[0]?.message ?? detail));
    } finally {
      if (!signal.aborted) setState(null);
    }
  };
  return { upload: (deviceType: string, file: File) => void upload(deviceType, file), state, problem, setProblem };
}
