"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Fragment, useState } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { CodeBlock } from "@/components/kit/code-block";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { Disclosure } from "@/components/kit/disclosure";
import { PageBody } from "@/components/kit/page-header";
import { SkeletonText } from "@/components/kit/skeleton";
import { RelativeTime } from "@/components/kit/time";
import { nextPage } from "@/components/list/list-input";
import { useListQuery } from "@/components/list/use-list-query";
import { listDifferences } from "@/components/product/activity-texts";
import { ErrorState } from "@/components/product/error-state";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { diffLines } from "./json-diff";
import type { RuleVersion } from "./query";

const asText = ({ condition, actions, scope }: RuleVersion): string =>
  JSON.stringify({ condition, actions, scope }, null, 2);

const marks = { same: " ", added: "+", removed: "−" } as const;

const content = ({ condition, actions, scope }: RuleVersion) => ({ condition, actions, scope });

/** What a version changed, a line a member. */
function Changes({ before, after }: { before: RuleVersion; after: RuleVersion }) {
  const changes = listDifferences(content(before), content(after));
  if (changes.length === 0) return null;
  return (
    <dl className="mb-2 grid grid-cols-[fit-content(40%)_minmax(0,1fr)] gap-x-4 gap-y-0.5 text-table">
      {changes.map(({ path, before: was, after: is }) => (
        <Fragment key={path}>
          <dt className="truncate font-mono text-meta leading-5 text-muted" title={path}>
            {path}
          </dt>
          <dd className="min-w-0 wrap-anywhere tabular-nums">
            {was === null ? "added" : <del className="text-muted">{was}</del>}
            {" → "}
            {is === null ? "removed" : <ins className="font-medium no-underline">{is}</ins>}
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}

function Diff({ before, after }: { before: RuleVersion; after: RuleVersion }) {
  const lines = diffLines(asText(before), asText(after));
  return (
    <pre
      className="mt-2 overflow-x-auto rounded-panel border bg-background py-2 font-mono text-meta"
      tabIndex={0}
      aria-label={`What version ${after.version} changed`}
    >
      {lines.map((line, at) => (
        <span
          key={at}
          className={cn(
            "block px-3 whitespace-pre",
            line.kind === "added" && "bg-selected text-foreground",
            line.kind === "removed" && "text-critical-text line-through decoration-1",
            line.kind === "same" && "text-muted",
          )}
        >
          {marks[line.kind]} {line.text}
        </span>
      ))}
    </pre>
  );
}

/** What a version changed in words, and the JSON of it for those who want it. The first one has nothing to differ from. */
function VersionContent({ before, after }: { before: RuleVersion | undefined; after: RuleVersion }) {
  const label = <span className="text-muted">{before ? "Show the change as JSON" : "Show as JSON"}</span>;
  return (
    <>
      {before && <Changes before={before} after={after} />}
      <Disclosure label={label}>
        {before ? (
          <Diff before={before} after={after} />
        ) : (
          <CodeBlock className="mt-2" label={`Version ${after.version} as JSON`} code={asText(after)} />
        )}
      </Disclosure>
    </>
  );
}

/** Every version of a rule, newest first, each with what it changed and a way back to it. */
export function RuleVersions({
  uid,
  current,
  reason,
}: {
  uid: string;
  current: number;
  /** Why the person may not restore one. */
  reason: string | undefined;
}) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [restoring, setRestoring] = useState<number | null>(null);
  const { query, rows: versions } = useListQuery(
    trpc.rules.versions.infiniteQueryOptions({ uid, limit: 50 }, nextPage),
  );
  const restore = async (version: number) => {
    try {
      await client.rules.restore.mutate({ uid, version });
    } catch (error) {
      toast.failure(error, { title: `Version ${version} was not restored` });
      throw error;
    }
    toast.success(`Version ${version} is the newest again`);
    await queryClient.invalidateQueries(trpc.rules.pathFilter());
  };
  return (
    <PageBody>
      {query.error !== null && (
        <ErrorState error={query.error} title="The versions could not be loaded" onRetry={() => void query.refetch()} />
      )}
      {!versions && query.error === null && <SkeletonText lines={8} />}
      {versions && (
        <ol className="flex max-w-220 flex-col gap-8">
          {versions.map((version, at) => (
            <li key={version.version}>
              <div className="mb-2 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
                <div className="min-w-0">
                  <h2 className="text-table font-semibold">
                    Version {version.version}
                    {version.version === current && <span className="font-normal text-muted"> · current</span>}
                  </h2>
                  <p className="text-meta text-muted">
                    <RelativeTime value={version.created_at} />
                    {version.created_by && ` by ${version.created_by}`}
                    {version.note && ` · ${version.note}`}
                  </p>
                </div>
                {version.version !== current && (
                  <Button size="sm" disabledReason={reason} onClick={() => setRestoring(version.version)}>
                    Restore
                  </Button>
                )}
              </div>
              <p className="mb-2 text-table">{version.condition_text}</p>
              <VersionContent before={versions[at + 1]} after={version} />
            </li>
          ))}
        </ol>
      )}
      {query.hasNextPage && (
        <div>
          <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Load more
          </Button>
        </div>
      )}
      <ConfirmDialog
        open={restoring !== null}
        onOpenChange={(open) => !open && setRestoring(null)}
        title={`Restore version ${restoring ?? ""}?`}
        description="Its condition, actions and scope become a new version. What later versions found is kept until the rule runs again."
        action="Restore version"
        danger={false}
        onConfirm={() => (restoring === null ? undefined : restore(restoring))}
      />
    </PageBody>
  );
}
