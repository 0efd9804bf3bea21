"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { Cpu, Pencil } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "@/components/kit/button";
import { Section } from "@/components/kit/page-header";
import { SkeletonText } from "@/components/kit/skeleton";
import { RelativeTime } from "@/components/kit/time";
import { nextPage } from "@/components/list/list-input";
import { ErrorState } from "@/components/product/error-state";
import { StatusMark } from "@/components/product/status";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import { deviceStatuses } from "@/domain/devices/connectivity";
import { changesInput } from "../query";

type Change = Outputs["fleet"]["changes"]["results"][number];

/** What changed about a device, newest first: status, firmware, name, type and tags. */
export function RecentChanges({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const query = useInfiniteQuery(trpc.fleet.changes.infiniteQueryOptions(changesInput(uid), nextPage));
  const changes = query.data?.pages.flatMap(({ results }) => results);
  return (
    <Section title="Changed">
      {query.error && !changes ? (
        <ErrorState error={query.error} title="The changes could not be loaded" onRetry={() => void query.refetch()} />
      ) : !changes ? (
        <SkeletonText lines={4} />
      ) : changes.length === 0 ? (
        <p className="border-t py-2 text-table text-subtle">Nothing since the device was registered.</p>
      ) : (
        <ol aria-label="Changes" className="border-t text-table">
          {changes.map((change) => {
            const { mark, text, by } = describe(change);
            return (
              <li key={change.uid} className="flex min-h-9 items-center gap-3 border-b py-1.5">
                <span className="flex w-4 shrink-0 justify-center text-subtle">{mark}</span>
                <span className="min-w-0 flex-1 wrap-break-word">
                  {text}
                  {by && <span className="text-muted">, {by}</span>}
                </span>
                <span className="shrink-0 text-meta text-subtle">
                  <RelativeTime value={change.at} rich={false} />
                </span>
              </li>
            );
          })}
        </ol>
      )}
      {query.hasNextPage && (
        <Button size="sm" className="mt-3" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Load more
        </Button>
      )}
    </Section>
  );
}

const asText = (value: unknown): string => (typeof value === "string" && value !== "" ? value : "none");
const asTags = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];

/** A change in words, with a mark of its kind. */
function describe({ kind, by, before, after }: Change): { mark: ReactNode; text: string; by: string } {
  if (kind === "status") {
    const status = deviceStatuses.find((each) => each === after.status) ?? "offline";
    const name = status.charAt(0).toUpperCase() + status.slice(1);
    return { mark: <StatusMark tone={status} />, text: name, by };
  }
  if (kind === "firmware") {
    const text = `Firmware ${asText(before?.firmware_version)} → ${asText(after.firmware_version)}`;
    return { mark: <Cpu aria-hidden className="size-3.5" strokeWidth={1.5} />, text, by };
  }
  const parts = [
    after.name !== undefined && `Name ${asText(before?.name)} → ${asText(after.name)}`,
    after.type !== undefined && `Type ${asText(before?.type)} → ${asText(after.type)}`,
    after.tags !== undefined && describeTags(asTags(before?.tags), asTags(after.tags)),
  ];
  const text = parts.filter((part) => part !== false).join("; ");
  return { mark: <Pencil aria-hidden className="size-3.5" strokeWidth={1.5} />, text, by: by && `by ${by}` };
}

function describeTags(before: readonly string[], after: readonly string[]): string {
  const added = after.filter((tag) => !before.includes(tag));
  const removed = before.filter((tag) => !after.includes(tag));
  const parts = [
    added.length > 0 && `added ${added.join(", ")}`,
    removed.length > 0 && `removed ${removed.join(", ")}`,
  ];
  const text = parts.filter((part) => part !== false).join(", ");
  return text === "" ? "Tags in another order" : `Tags: ${text}`;
}
