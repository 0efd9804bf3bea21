"use client";

import { Suspense } from "react";
import { lazyPart } from "@/components/kit/lazy-part";
import { SkeletonText } from "@/components/kit/skeleton";

const Tree = lazyPart(async () => (await import("./markdown-tree")).default);

/** Markdown that members wrote, such as a project's guide or a rule's runbook. */
export const GuideMarkdown = ({ text }: { text: string }) => (
  <Suspense fallback={<SkeletonText lines={4} />}>
    <Tree text={text} />
  </Suspense>
);
