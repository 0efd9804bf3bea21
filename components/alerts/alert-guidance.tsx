"use client";

import { BookOpen, UserRound } from "lucide-react";
import { GuideMarkdown } from "@/components/product/markdown/guide-markdown";
import type { AlertDetail } from "./query";

/** The address where a runbook is nothing else. */
const readAddress = (runbook: string): string | null =>
  /^https?:\/\/\S+$/i.test(runbook.trim()) && URL.canParse(runbook.trim()) ? runbook.trim() : null;

/** What its rule says to whoever has an alert: what to do, and whom to ask. */
export function AlertGuidance({ guidance }: { guidance: AlertDetail["guidance"] }) {
  const { runbook, owner } = guidance;
  const address = readAddress(runbook);
  const isText = address === null && runbook.trim() !== "";
  if (owner === null && address === null && !isText) return null;
  return (
    <section aria-label="Runbook and owner" className="flex min-w-0 flex-col gap-2 rounded-control border px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-table">
        {isText && (
          <span className="inline-flex items-center gap-1.5 font-semibold">
            <BookOpen aria-hidden className="size-3.5" />
            Runbook
          </span>
        )}
        {address !== null && (
          <span className="inline-flex min-w-0 items-center gap-1.5">
            <BookOpen aria-hidden className="size-3.5 shrink-0" />
            <span className="shrink-0 font-semibold">Runbook</span>
            <a
              href={address}
              target="_blank"
              rel="noreferrer"
              className="min-w-0 rounded-control wrap-anywhere text-accent-text hover:underline"
            >
              {address}
            </a>
          </span>
        )}
        {owner !== null && (
          <span className="inline-flex items-center gap-1.5 text-muted">
            <UserRound aria-hidden className="size-3.5" />
            Owner {owner}
          </span>
        )}
      </div>
      {isText && (
        <div role="group" aria-label="Text of the runbook" tabIndex={0} className="max-h-72 overflow-y-auto text-table">
          <GuideMarkdown text={runbook} />
        </div>
      )}
    </section>
  );
}
