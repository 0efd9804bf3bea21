"use client";

import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTRPCClient } from "@/components/trpc/client";
import type { Result, runInput } from "./query";

interface Failed {
  error: unknown;
  /** The query that failed. */
  sql: string;
}

export interface Run {
  run: (input: ReturnType<typeof runInput>) => void;
  /** Ends the query that runs, here and on the server; false where none does. */
  cancel: () => boolean;
  /** When the query that runs was sent, in ms; null where none does. */
  since: number | null;
  /** The rows of the last query that had an answer, until those of the next are here. */
  result: Result | null;
  failure: Failed | null;
  /** Whether the last query was cancelled. */
  isCancelled: boolean;
}

/** Runs queries one after another. One that still runs when the page is left ends. */
export function useRun(): Run {
  const client = useTRPCClient();
  const [result, setResult] = useState<Result | null>(null);
  const [failure, setFailure] = useState<Failed | null>(null);
  const [isCancelled, setCancelled] = useState(false);
  const caller = useRef<AbortController>(null);
  useEffect(() => () => caller.current?.abort(), []);
  const { mutate, isPending, submittedAt } = useMutation({
    // Offline, it fails instead of waiting.
    networkMode: "always",
    mutationFn: (input: ReturnType<typeof runInput>) => {
      caller.current = new AbortController();
      return client.signals.run.mutate(input, { context: { alone: true }, signal: caller.current.signal });
    },
    onMutate: () => setCancelled(false),
    onSuccess: (answer) => {
      setResult(answer);
      setFailure(null);
    },
    onError: (error, { sql }) => {
      const wasCancelled = caller.current?.signal.aborted === true;
      setCancelled(wasCancelled);
      setFailure(wasCancelled ? null : { error, sql });
    },
  });
  const cancel = (): boolean => {
    if (isPending) caller.current?.abort();
    return isPending;
  };
  return { run: mutate, cancel, since: isPending ? submittedAt : null, result, failure, isCancelled };
}
