"use client";

import "./globals.css";

/** Fallback for a failed root layout, so no part of the interface can be used. */
export default function GlobalErrorPage({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <html lang="en" data-theme="system">
      <body>
        <title>Muster could not be shown</title>
        <main className="mx-auto max-w-90 px-4 py-24 text-body">
          <h1 className="text-title font-semibold">Muster could not be shown</h1>
          <p className="mt-1 text-muted">Reload the page. {error.digest && `Reference ${error.digest}.`}</p>
          <button
            type="button"
            onClick={reset}
            className="mt-6 h-8 rounded-panel bg-accent px-3 font-medium text-accent-foreground"
          >
            Try again
          </button>
        </main>
      </body>
    </html>
  );
}
