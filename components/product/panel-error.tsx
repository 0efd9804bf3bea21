"use client";

import Link from "next/link";
import { Button } from "@/components/kit/button";
import { ErrorState } from "@/components/product/error-state";
import { readFailure } from "@/components/product/failure";
import { describeRefusal, filesGone, isOfBucket } from "@/components/product/panel-texts";

/** Why a recording is not read, with the page where that can be changed. */
export function Refusal({ text }: { text: string }) {
  return (
    <span className="wrap-anywhere">
      {text}
      {isOfBucket(text) && (
        <>
          {" "}
          <Link href="/storage" className="text-accent-text underline">
            Storage
          </Link>
        </>
      )}
    </span>
  );
}

interface PanelErrorProps {
  /** The thrown value. */
  error: unknown;
  /** "The log could not be read", for what no panel has words of its own for. */
  title: string;
  onRetry: () => void;
}

/** A panel that could not read its recording. Why that is has the same words in every panel. */
export function PanelError({ error, title, onRetry }: PanelErrorProps) {
  const { detail, issues, status } = readFailure(error);
  // What a bucket refuses is the fault of the field that names it.
  const texts = [detail, ...issues.map(({ message }) => message)].map((text) => describeRefusal(text, status));
  const known = texts.find((text) => isOfBucket(text)) ?? texts.find((text) => text === filesGone);
  if (known === undefined) return <ErrorState error={error} title={title} onRetry={onRetry} className="py-6" />;
  return (
    <div role="alert" className="flex flex-col items-center gap-2 p-3 text-center text-meta text-muted">
      <Refusal text={known} />
      {known !== filesGone && (
        <Button size="sm" onClick={onRetry}>
          Retry
        </Button>
      )}
    </div>
  );
}
