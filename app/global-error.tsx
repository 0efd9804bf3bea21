"use client";

import { isLoadFailure } from "@/components/kit/part-loading";
import "./globals.css";
import { describePageFailure, type PageFailureProps } from "./page-failure";

const reload = () => location.reload();

/** Fallback for a failed root layout, so no part of the interface can be used. */
export default function GlobalErrorPage({ error, retry }: PageFailureProps) {
  const { description, reference } = describePageFailure(error);
  return (
    <html lang="en" data-theme="system">
      <body>
        <title>Muster could not be shown</title>
        <main className="mx-auto max-w-90 px-4 py-24 text-body">
          <h1 className="text-title font-semibold">Muster could not be shown</h1>
          <p className="mt-1 text-muted">{description}</p>
          <div className="mt-6 flex gap-2">
            <button
              type="button"
              onClick={isLoadFailure(error) ? reload : retry}
              className="h-8 rounded-panel bg-accent px-3 font-medium text-accent-foreground"
            >
              Try again
            </button>
            <button type="button" onClick={reload} className="h-8 rounded-panel border px-3 font-medium">
              Reload
            </button>
          </div>
          <p className="mt-6 font-mono text-table wrap-anywhere text-muted">{reference}</p>
        </main>
      </body>
    </html>
  );
}
