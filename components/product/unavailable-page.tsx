"use client";

import { ButtonLink } from "@/components/kit/button";
import { PageBody, PageHeader } from "@/components/kit/page-header";
import { ErrorState } from "./error-state";
import { readFailure } from "./failure";

/** Whether a page cannot show its object: it was deleted, or could not be loaded. */
export const isUnavailable = (query: { error: unknown; data: unknown }): boolean =>
  query.error !== null && (query.data === undefined || readFailure(query.error).status === 404);

/** The page of an object that `isUnavailable`: what happened to it and where to go, or how to try again. */
export function UnavailablePage(props: {
  /** Its name if that is known. */
  title: string | undefined;
  /** "device". */
  noun: string;
  /** Shown when it no longer exists. */
  deletedMessage: string;
  /** The list it belongs to. */
  list: { label: string; href: string };
  query: { error: unknown; refetch: () => unknown };
}) {
  const { title, noun, deletedMessage: gone, list, query } = props;
  return (
    <>
      <PageHeader title={title ?? noun.charAt(0).toUpperCase() + noun.slice(1)} trail={[list]} />
      <PageBody>
        {readFailure(query.error).status === 404 ? (
          <div>
            <p className="text-body text-muted">{gone}</p>
            <ButtonLink href={list.href} variant="primary" className="mt-4">
              Go to {list.label.toLowerCase()}
            </ButtonLink>
          </div>
        ) : (
          <ErrorState
            error={query.error}
            title={`This ${noun} could not be loaded`}
            onRetry={() => void query.refetch()}
          />
        )}
      </PageBody>
    </>
  );
}
