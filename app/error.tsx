"use client";

import { Button, ButtonLink } from "@/components/kit/button";
import { Standalone } from "@/components/shell/standalone";

/** Shown when a page fails while it is drawn; `digest` finds the fault in the server's log. */
export default function ErrorPage({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <Standalone
      title="This page failed"
      description="What you did before is saved. Try again; if it fails again, the reference below finds the fault in the server's log."
      footer={error.digest ? <span className="font-mono">{error.digest}</span> : undefined}
    >
      <div className="flex gap-2">
        <Button variant="primary" onClick={reset}>
          Try again
        </Button>
        <ButtonLink href="/">Go to the start page</ButtonLink>
      </div>
    </Standalone>
  );
}
