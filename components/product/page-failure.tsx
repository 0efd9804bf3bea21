"use client";

import { ButtonLink } from "@/components/kit/button";
import { PageBody, PageHeader } from "@/components/kit/page-header";
import { ErrorState } from "./error-state";
import { readFailure } from "./failure";

interface List {
  label: string;
  href: string;
}

const capitalize = (noun: string): string => noun.charAt(0).toUpperCase() + noun.slice(1);

function Gone({ text, list }: { text: string; list: List }) {
  return (
    <div>
      <p className="text-body text-muted">{text}</p>
      <ButtonLink href={list.href} variant="primary" className="mt-4">
        Go to {list.label.toLowerCase()}
      </ButtonLink>
    </div>
  );
}

/** The page of an object that the organization does not have. */
export function NotFound(props: {
  /** "device". */
  noun: string;
  /** The list it would belong to. */
  list: List;
  /** What may have become of it, as the beginning of a sentence. */
  reason?: string;
}) {
  const { noun, list, reason = "It was deleted" } = props;
  return (
    <>
      <PageHeader title={`${capitalize(noun)} not found`} trail={[list]} />
      <PageBody narrow>
        <Gone
          text={`No ${noun} of this organization has this uid. ${reason}, or it belongs to another organization; you can switch to that one at the top left.`}
          list={list}
        />
      </PageBody>
    </>
  );
}

/** Whether a page cannot show its object: it was deleted, or could not be loaded. */
export const isUnavailable = (query: { error: unknown; data: unknown }): boolean =>
  query.error !== null && (query.data === undefined || readFailure(query.error).status === 404);

/** The page of an object that `isUnavailable`: what happened to it and where to go, or how to try again. */
export function PageFailure(props: {
  /** Its name if that is known. */
  title: string | undefined;
  /** "device". */
  noun: string;
  /** Shown when it no longer exists. */
  deletedMessage: string;
  /** The list it belongs to. */
  list: List;
  query: { error: unknown; refetch: () => unknown };
}) {
  const { title, noun, deletedMessage: gone, list, query } = props;
  return (
    <>
      <PageHeader title={title ?? capitalize(noun)} trail={[list]} />
      <PageBody>
        {readFailure(query.error).status === 404 ? (
          <Gone text={gone} list={list} />
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
