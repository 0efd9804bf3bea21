"use client";

import { Standalone } from "@/components/shell/standalone";
import { FailedPageButtons, readFailedPage } from "./page-failed";
import type { PageFailureProps } from "./page-failure";

/** Shown when rendering a page outside of the shell fails, or the shell itself. */
export default function ErrorPage(props: PageFailureProps) {
  const { title, description, reference } = readFailedPage(props.error);
  return (
    <Standalone
      title={title}
      description={description}
      footer={reference && <span className="font-mono wrap-anywhere">{reference}</span>}
    >
      <FailedPageButtons {...props} />
    </Standalone>
  );
}
