"use client";

import { CodeBlock, CodeTabs } from "@/components/kit/code-block";
import { receiverSnippets } from "./receiver-snippets";

/** Receivers that verify signatures, ready to run, and Muster's own for trying things out. */
export function VerifyingCode() {
  return (
    <div className="flex flex-col gap-3">
      <CodeTabs label="Language" tabs={receiverSnippets} />
      <p className="text-table text-muted">
        To look at messages first, run Muster&apos;s own receiver in its folder. It prints each message and whether its
        signature is valid.
      </p>
      <CodeBlock code={`npm run muster -- listen --port 4000 --secret "$MUSTER_WEBHOOK_SECRET"`} />
    </div>
  );
}
