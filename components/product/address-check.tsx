"use client";

import { CircleAlert, CircleCheck, LoaderCircle, TriangleAlert } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";

const pauseMs = 300;

/** The address that is being typed, once it has not changed for a moment; null while it is none that could be asked about. */
export function useSettledAddress(url: string): string | null {
  const [settled, setSettled] = useState(url);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(url), pauseMs);
    return () => clearTimeout(timer);
  }, [url]);
  const text = settled.trim();
  return /^https?:\/\/./.test(text) ? text : null;
}

interface AddressCheckProps {
  /** As it is typed. */
  url: string;
  /** As it was asked about. */
  settled: string | null;
  /** What the server says of that. */
  check: { data?: { result: "accepted" | "doubtful" | "refused"; message: string } | undefined; error: unknown };
  /** What stands there while nothing is typed, and once the address is accepted. */
  empty: ReactNode;
  accepted: ReactNode;
}

/** Whether the address that is being typed can be used, with the reason. */
export function AddressCheck({ url, settled, check, empty, accepted }: AddressCheckProps) {
  const typed = url.trim();
  const data = settled === typed ? check.data : undefined;
  const line = (() => {
    if (typed === "") return empty;
    if (!/^https?:\/\/./.test(typed))
      return typed.length < 8 ? "It begins with https://." : "Enter a valid URL that begins with https://.";
    if (settled === typed && check.error) return "It will be checked when you save.";
    if (!data)
      return (
        <>
          <LoaderCircle aria-hidden className="mt-px size-3.5 shrink-0 motion-safe:animate-spin" /> Checking …
        </>
      );
    if (data.result === "accepted")
      return (
        <>
          <CircleCheck aria-hidden className="mt-px size-3.5 shrink-0 text-online" /> {accepted}
        </>
      );
    const refused = data.result === "refused";
    const Icon = refused ? CircleAlert : TriangleAlert;
    return (
      <span className={`flex items-start gap-1 ${refused ? "text-critical-text" : "text-warning-text"}`}>
        <Icon aria-hidden className="mt-px size-3.5 shrink-0" />
        {data.message}
      </span>
    );
  })();
  return (
    <span aria-live="polite" className="flex min-h-4 items-start gap-1">
      {line}
    </span>
  );
}
