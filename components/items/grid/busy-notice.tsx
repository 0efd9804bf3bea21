"use client";

import { useEffect, useEffectEvent, useState, useSyncExternalStore } from "react";
import { readBusy, watchBusy } from "@/components/items/media-queue";
import { readFailure } from "@/components/product/failure";
import type { PageRefusal } from "./use-item-pages";

interface CountdownProps {
  /** What goes on afterwards. */
  what: string;
  seconds: number;
  onOver?: () => void;
}

function Countdown({ what, seconds, onOver }: CountdownProps) {
  const [left, setLeft] = useState(Math.ceil(seconds));
  const over = useEffectEvent(() => onOver?.());
  useEffect(() => {
    const tick = setInterval(() => setLeft((before) => Math.max(0, before - 1)), 1_000);
    const timer = setTimeout(() => over(), seconds * 1_000);
    return () => {
      clearInterval(tick);
      clearTimeout(timer);
    };
  }, [seconds]);
  return (
    <p
      role="timer"
      className="pointer-events-none absolute inset-x-0 top-2 z-10 mx-auto w-fit rounded-control border bg-raised px-3 py-1.5 text-table text-warning-text tabular-nums shadow-sm"
    >
      {left > 0 ? `The server is busy. ${what} in ${left} s.` : `The server was busy. ${what} now.`}
    </p>
  );
}

/** When the grid goes on, while the server is busy; then the pages that it refused are asked for again. */
export function BusyNotice({ refusal }: { refusal: PageRefusal | null }) {
  const busy = useSyncExternalStore(watchBusy, readBusy, () => null);
  if (refusal)
    return (
      <Countdown
        key={refusal.at}
        what="Items load"
        seconds={readFailure(refusal.error).retryAfter ?? 1}
        onOver={refusal.retry}
      />
    );
  return busy && <Countdown key={busy.until} what="Pictures load" seconds={busy.seconds} />;
}
