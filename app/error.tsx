"use client";

import { Button, ButtonLink } from "@/components/kit/button";
import { Standalone } from "@/components/shell/standalone";

const failed = {
  title: "This page failed",
  description:
    "What you did before is saved. Try again; if it fails again, the reference below finds the fault in the server's log.",
};
const unavailable = {
  title: "Muster is not available right now",
  description: "Its database does not respond. Your work so far is saved, and you stay signed in. Try again shortly.",
};

/** Shown when rendering a page fails; `digest` finds the error in the server's log, or names it. */
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
