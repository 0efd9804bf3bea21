"use client";

import { Button, ButtonLink } from "@/components/kit/button";
import { isLoadFailure } from "@/components/kit/part-loading";
import { reloadPage } from "@/components/kit/typed-texts";
import { describePageFailure, readDigest, type PageFailureProps } from "./page-failure";

const unavailable = {
  title: "Muster is not available right now",
  description: "Its database does not respond. Your work so far is saved, and you stay signed in. Try again shortly.",
};

/** What a failed page says, and what to name in a report of it. */
export function readFailedPage(error: unknown): { title: string; description: string; reference?: string } {
  if (readDigest(error)?.startsWith("unavailable")) return unavailable;
  return { title: "This page failed", ...describePageFailure(error) };
}

/** The ways on from a page that failed. */
export function FailedPageButtons({ error, retry }: PageFailureProps) {
  return (
    <div className="flex flex-wrap gap-2">
      {/* The router keeps a script that did not come as failed; only the page anew asks for it again. */}
      <Button variant="primary" onClick={isLoadFailure(error) ? reloadPage : retry}>
        Try again
      </Button>
      <Button onClick={reloadPage}>Reload</Button>
      <ButtonLink href="/">Go to the start page</ButtonLink>
    </div>
  );
}
