"use client";

import { LockKeyhole, SearchX } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { Button } from "./button";
import { cn } from "./cn";
import { CodeBlock } from "./code-block";
import { plural } from "./format";

interface NothingYet {
  kind: "nothing-yet";
  /** "No devices yet". */
  title: string;
  /** What this is and its purpose, in one or two sentences. */
  description: ReactNode;
  /** The one primary action. */
  action?: ReactNode;
  /** The same from a terminal, and the address of the guide that explains it. */
  curl?: { command: string; guide: string };
}

interface NoMatch {
  kind: "no-match";
  /** Plural of what was searched: "devices". */
  noun: string;
  filterCount: number;
  onClear: () => void;
  /** "`status: offline` removes most", when that is known. */
  hint?: ReactNode;
}

interface NoAccess {
  kind: "no-access";
  /** "API keys". */
  noun: string;
  /** The role or scope that would be needed: "the admin role". */
  missing: string;
}

export type EmptyStateProps = (NothingYet | NoMatch | NoAccess) & { className?: string };

/** Why a list is empty, in three kinds that look different, and what to do about it. */
export function EmptyState(props: EmptyStateProps) {
  if (props.kind === "nothing-yet") {
    return (
      <div className={cn("flex max-w-152 flex-col items-start gap-4 px-4 py-10 sm:px-6", props.className)}>
        <div>
          <h2 className="text-section font-semibold">{props.title}</h2>
          <p className="mt-1 text-body text-muted">{props.description}</p>
        </div>
        {props.action}
        {props.curl && (
          <div className="w-full">
            <p className="mb-1.5 flex justify-between gap-3 text-meta text-subtle">
              or from a terminal
              <Link href={props.curl.guide} prefetch={false} className="text-accent-text underline underline-offset-2">
                Read the guide
              </Link>
            </p>
            <CodeBlock code={props.curl.command} label="curl" />
          </div>
        )}
      </div>
    );
  }
  const noMatch = props.kind === "no-match";
  const Icon = noMatch ? SearchX : LockKeyhole;
  return (
    <div className={cn("flex flex-col items-center gap-3 px-4 py-16 text-center", props.className)}>
      <Icon aria-hidden className="size-5 text-subtle" strokeWidth={1.5} />
      {noMatch ? (
        <>
          <div>
            <h2 className="text-body font-medium">
              No {props.noun} match {props.filterCount === 1 ? "this filter" : plural(props.filterCount, "filter")}
            </h2>
            {props.hint !== undefined && <p className="text-table text-muted">{props.hint}</p>}
          </div>
          <Button onClick={props.onClear}>Clear {props.filterCount === 1 ? "filter" : "filters"}</Button>
        </>
      ) : (
        <div>
          <h2 className="text-body font-medium">You cannot see {props.noun}</h2>
          <p className="text-table text-muted">
            This needs {props.missing}. An owner of the organization can grant it.
          </p>
        </div>
      )}
    </div>
  );
}
