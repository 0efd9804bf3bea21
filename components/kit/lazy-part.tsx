"use client";

import { use, useEffect, useState, useSyncExternalStore, type ComponentType } from "react";
import { FailedPart, type FailedPartProps } from "./part-failed";
import { loadPart, PartFailure } from "./part-loading";

type Opened<Props> = { Component: ComponentType<Props> } | { failure: PartFailure };

interface PartOptions<Props> {
  /** Classes of the size of the part, for the box that stands in its place; by default all the room there is. */
  className?: string;
  /** The height of the part in pixels, where its own properties say it. */
  height?: (props: Props) => number;
  /** The same part by `next/dynamic`: has a page that the server renders load it with its other scripts. */
  onServer?: ComponentType<Props>;
}

/** A part of pages that is loaded when it is first shown; `preload` has the browser fetch it before. */
export type LazyPart<Props> = ComponentType<Props> & { preload: () => void };

/**
 * What is known of a part, for all places that show it. A failure is kept until somebody tries again, or no place shows it
 * any more: React would otherwise ask without end.
 */
class PartState<Props> {
  private current: Promise<Opened<Props>> | Opened<Props> | null = null;
  private hasFailed = false;
  private readonly places = new Set<() => void>();

  constructor(private readonly load: () => Promise<ComponentType<Props>>) {}

  readonly subscribe = (notify: () => void): (() => void) => {
    this.places.add(notify);
    return () => void this.places.delete(notify);
  };

  readonly get = (): Promise<Opened<Props>> | Opened<Props> => (this.current ??= this.open());

  private async open(): Promise<Opened<Props>> {
    try {
      const Component = await loadPart(this.load);
      this.hasFailed = false;
      return { Component };
    } catch (error) {
      if (!(error instanceof PartFailure)) throw error;
      this.hasFailed = true;
      return { failure: error };
    }
  }

  /** Resolves when it was tried again, with whatever result. */
  async retry(): Promise<void> {
    this.current = await this.open();
    for (const notify of this.places) notify();
  }

  /** Has the next place that shows it begin anew. */
  forgetFailure(): void {
    if (this.hasFailed) this.current = null;
  }
}

/** Like `lazyPart`, with a component of its own for failures. */
export function createPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Failed: ComponentType<FailedPartProps & { of: Props }>,
  onServer?: ComponentType<Props>,
): LazyPart<Props> {
  const state = new PartState(load);

  function Missing({ failure, of }: { failure: PartFailure; of: Props }) {
    const [isTrying, setTrying] = useState(false);
    useEffect(() => () => state.forgetFailure(), []);
    const retry = async () => {
      setTrying(true);
      await state.retry();
      setTrying(false);
    };
    return <Failed failure={failure} isTrying={isTrying} onRetry={() => void retry()} of={of} />;
  }

  function Part(props: Props) {
    const known = useSyncExternalStore(state.subscribe, state.get, state.get);
    const opened = known instanceof Promise ? use(known) : known;
    return "failure" in opened ? <Missing failure={opened.failure} of={props} /> : <opened.Component {...props} />;
  }

  const OnServer = onServer;
  // The first child is on the server what `next/dynamic` has beside its part: ids of elements count children.
  const Shown =
    OnServer === undefined
      ? Part
      : function PreloadedPart(props: Props) {
          if (typeof window === "undefined") return <OnServer {...props} />;
          return (
            <>
              {null}
              <Part {...props} />
            </>
          );
        };
  return Object.assign(Shown, { preload: () => void load().catch(() => {}) });
}

/**
 * A part that is loaded later. It suspends while it is loaded; if three tries do not bring it, a box in its place offers
 * another one, and the rest of the page goes on.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { className, height, onServer }: PartOptions<Props> = {},
): LazyPart<Props> {
  const Failed = ({ of, ...failed }: FailedPartProps & { of: Props }) => (
    <FailedPart {...failed} className={className} height={height?.(of)} />
  );
  return createPart(load, Failed, onServer);
}
