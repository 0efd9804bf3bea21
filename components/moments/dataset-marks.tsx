"use client";

import { useQuery } from "@tanstack/react-query";
import { Database } from "lucide-react";
import Link from "next/link";
import { useTRPC, type Outputs } from "@/components/trpc/client";

export type DatasetMark = Outputs["moments"]["marks"][number];

/** A dataset that has items of something, as a link. */
const MarkLink = ({ mark: { name, owner_name: owner, slug } }: { mark: Omit<DatasetMark, "of"> }) => (
  <Link
    href={`/datasets/${owner}/${slug}`}
    prefetch={false}
    className="inline-flex h-5 max-w-full min-w-0 items-center gap-1 rounded-control border bg-background px-1.5 text-meta text-muted hover:text-foreground hover:underline"
  >
    <Database aria-hidden className="size-3 shrink-0" />
    <span className="truncate">{name}</span>
  </Link>
);

/** The datasets that have items of an alert, an event or a recording. */
export function DatasetMarks({ kind, uid }: { kind: "alerts" | "events" | "recordings"; uid: string }) {
  const trpc = useTRPC();
  const { data = [] } = useQuery(trpc.moments.marks.queryOptions({ [kind]: [uid] }));
  if (data.length === 0) return <span className="text-subtle">None</span>;
  return (
    <span className="flex min-w-0 flex-wrap gap-1">
      {data.map((mark) => (
        <MarkLink key={mark.uid} mark={mark} />
      ))}
    </span>
  );
}
