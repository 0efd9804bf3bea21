"use client";

import { Button, ButtonLink } from "@/components/kit/button";
import { Standalone } from "@/components/shell/standalone";

const failed = {
  title: "This page failed",
  description:
    "What you did before is saved. Try again; if it fails again, the reference below finds the fault in the server's log.",
};
const unavailable = {
  title: "Muster cannot answer right now",
  description: "Its database does not answer. What you did before is saved, and you stay signed in. Try again shortly.",
};

/** Shown when a page fails while it is drawn; `digest` finds the fault in the server's log, or says what it is. */
export default function ErrorPage({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  const isUnavailable = error.digest?.startsWith("unavailable") === true;
  return (
    <Standalone
      {...(isUnavailable ? unavailable : failed)}
      footer={error.digest && !isUnavailable ? <span className="font-mono">{error.digest}</span> : undefined}
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
