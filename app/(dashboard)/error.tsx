"use client";

import { FailedPageButtons, readFailedPage } from "../page-failed";
import type { PageFailureProps } from "../page-failure";

/** Shown in the shell, which goes on, when rendering a page in it fails. */
export default function ErrorPage(props: PageFailureProps) {
  const { title, description, reference } = readFailedPage(props.error);
  return (
    <div role="alert" className="flex flex-col items-start px-4 py-10 sm:px-6">
      <h1 className="text-title font-semibold tracking-[-0.01em]">{title}</h1>
      <p className="mt-1 mb-6 max-w-152 text-body text-muted">{description}</p>
      <FailedPageButtons {...props} />
      {reference && <p className="mt-6 font-mono text-table wrap-anywhere text-muted">{reference}</p>}
    </div>
  );
}
