"use client";

import { useQuery } from "@tanstack/react-query";
import { wrap } from "comlink";
import { useCallback, useEffect, useState } from "react";
import { useTRPCClient, type Inputs } from "@/components/trpc/client";
import type { ConditionDraft } from "@/domain/conditions/draft";
import { parseDuration } from "@/domain/time/duration";
import workers from "@/public/engine/workers.json";
import type { PreviewThread } from "./preview.worker";
import type { Preview, PreviewColumns } from "./query";
import type { CountedRecording, CountHits } from "./suggestions/outcomes";

type PreviewRequest = Inputs["rules"]["preview"];

/** Members whose texts say what is read, not how it is compared. */
const readingMembers = new Set(["type", "topic", "field", "operator", "value"]);

/** What a request reads: the same for requests that differ in numbers and durations of their conditions only. */
function getShape(request: PreviewRequest): string {
  return JSON.stringify(request, (key, value: unknown) => {
    if (typeof value === "number") return 0;
    const isDuration = typeof value === "string" && !readingMembers.has(key) && parseDuration(value) !== null;
    return isDuration ? undefined : value;
  });
}

/** The name of the browser's measure of each preview that the page computed, with the way to its thread and back. */
const previewMeasure = "rule preview";

/** Milliseconds after which columns that could not be read are asked for again, as their files may have been replaced. */
const retriesMs = [1_000, 5_000, 20_000];

/** Milliseconds after which a change asks for columns again: those that were not there may have been stored meanwhile. */
const staleMs = { found: 30_000, missing: 5_000 };

/** A preview, and the request that it answers, as JSON. */
interface Computed {
  request: string;
  preview: Preview;
}

/** A thread with loaded columns, that computes the newest of the requests it is given. */
class PreviewQueue {
  private readonly worker = new Worker(workers.preview, { name: "preview", type: "module" });
  private readonly thread = wrap<PreviewThread>(this.worker);
  private wanted: string | null = null;
  private isBusy = false;

  /** `onUncovered`: a request reads what was not loaded; `onFailed`: the thread or a file cannot be read, this time. */
  constructor(
    private readonly on: { computed: (computed: Computed) => void; uncovered: () => void; failed: () => void },
  ) {
    // A script that cannot be loaded answers nothing.
    this.worker.addEventListener("error", on.failed);
  }

  /** Reads the columns; false where they are not enough. */
  load(columns: PreviewColumns): Promise<boolean> {
    return this.thread.load(columns);
  }

  /** Requests that come while one is computed wait for it, all but the newest in vain. */
  compute(request: string): void {
    this.wanted = request;
    if (this.isBusy) return;
    this.run().catch(this.on.failed);
  }

  /** Counts the hits of a condition, between the previews that are computed. */
  count(condition: ConditionDraft): Promise<CountedRecording[] | null> {
    return this.thread.count(condition);
  }

  private async run(): Promise<void> {
    this.isBusy = true;
    try {
      while (this.wanted !== null) {
        const request = this.wanted;
        this.wanted = null;
        const start = performance.now();
        const preview = await this.thread.evaluate((JSON.parse(request) as PreviewRequest).condition);
        if (preview === null) return this.on.uncovered();
        performance.measure(previewMeasure, { start });
        this.on.computed({ request, preview });
      }
    } finally {
      this.isBusy = false;
    }
  }

  end(): void {
    this.worker.terminate();
  }
}

/**
 * Previews that the page computes itself. Once the server has answered a request (`isAnswered`), the columns it reads are
 * loaded, and requests that differ from it in numbers and durations need no server: `covers`. The preview is that of the
 * newest request that was computed; `isCurrent` says whether it is this one. `countHits` is there while columns are.
 */
export function usePagePreview(
  request: PreviewRequest | null,
  isAnswered: boolean,
): { covers: boolean; preview: Preview | null; isCurrent: boolean; countHits: CountHits | null } {
  const client = useTRPCClient();
  const [loaded, setLoaded] = useState<{ shape: string; queue: PreviewQueue } | null>(null);
  const [computed, setComputed] = useState<Computed | null>(null);
  const [failed, setFailed] = useState({ shape: "", count: 0 });
  const shape = request && getShape(request);
  const failures = failed.shape === shape ? failed.count : 0;
  const { data: columns = null, refetch } = useQuery<PreviewColumns | null>({
    queryKey: ["rule preview columns", shape],
    enabled: shape !== null && isAnswered,
    retry: false,
    staleTime: ({ state }) => (state.data === null ? staleMs.missing : staleMs.found),
    queryFn: ({ signal }) => (request === null ? null : client.rules.previewColumns.mutate(request, { signal })),
  });

  useEffect(() => {
    if (shape === null || columns === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    // Whatever fails here, the server answers instead.
    const giveUp = () => setLoaded(null);
    const tryAgain = () => {
      giveUp();
      const pause = retriesMs[failures];
      if (pause === undefined || timer !== undefined) return;
      timer = setTimeout(() => void refetch().finally(() => setFailed({ shape, count: failures + 1 })), pause);
    };
    const queue = new PreviewQueue({ computed: setComputed, uncovered: giveUp, failed: tryAgain });
    queue.load(columns).then((isLoaded) => setLoaded(isLoaded ? { shape, queue } : null), tryAgain);
    return () => {
      clearTimeout(timer);
      queue.end();
      setLoaded(null);
      setComputed(null);
    };
  }, [shape, columns, failures, refetch]);

  const covers = loaded !== null && loaded.shape === shape;
  const key = covers ? JSON.stringify(request) : null;
  useEffect(() => {
    if (key !== null) loaded?.queue.compute(key);
  }, [loaded, key]);
  const preview = covers ? (computed?.preview ?? null) : null;
  const countHits = useCallback<CountHits>(
    async (condition) => (await loaded?.queue.count(condition)) ?? null,
    [loaded],
  );
  return {
    covers,
    preview,
    isCurrent: preview !== null && computed?.request === key,
    countHits: covers ? countHits : null,
  };
}
