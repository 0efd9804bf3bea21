"use client";

import { skipToken, useQuery } from "@tanstack/react-query";
import { CircleAlert, CircleCheck, LoaderCircle, TriangleAlert } from "lucide-react";
import { useEffect, useState } from "react";
import { useTRPC } from "@/components/trpc/client";

const pauseMs = 300;

/** The value once it has not changed for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** Whether the URL that is being typed can be subscribed, with the reason; `uid` is the webhook that is changed. */
export function UrlCheck({ url, uid }: { url: string; uid?: string }) {
  const trpc = useTRPC();
  const settled = useSettled(url.trim());
  const worthy = /^https?:\/\/./.test(settled);
  const query = useQuery({
    ...trpc.webhooks.checkUrl.queryOptions(worthy ? { target_url: settled, ...(uid && { uid }) } : skipToken),
    staleTime: 10_000,
    retry: false,
  });
  const data = settled === url.trim() ? query.data : undefined;
  const line = (() => {
    if (url.trim() === "") return "An https:// address of your own that answers 2xx within 15 seconds.";
    if (!worthy)
      return settled.length < 8 ? "It begins with https://." : "Enter a valid URL that begins with https://.";
    if (query.error) return "It will be checked when you save.";
    if (!data)
      return (
        <>
          <LoaderCircle aria-hidden className="mt-px size-3.5 shrink-0 motion-safe:animate-spin" /> Checking …
        </>
      );
    if (data.result === "accepted")
      return (
        <>
          <CircleCheck aria-hidden className="mt-px size-3.5 shrink-0 text-online" /> Reachable address. Send a test to
          see its response.
        </>
      );
    const refused = data.result === "refused";
    return (
      <span
        className={refused ? "flex items-start gap-1 text-critical-text" : "flex items-start gap-1 text-warning-text"}
      >
        {refused ? (
          <CircleAlert aria-hidden className="mt-px size-3.5 shrink-0" />
        ) : (
          <TriangleAlert aria-hidden className="mt-px size-3.5 shrink-0" />
        )}
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
