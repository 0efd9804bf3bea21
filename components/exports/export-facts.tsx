"use client";

import { Badge } from "@/components/kit/badge";
import { CopyButton } from "@/components/kit/copy-button";
import { KeyValue } from "@/components/kit/key-value";
import { Bytes, Duration } from "@/components/kit/measure";
import { None } from "@/components/kit/none";
import { InstantTime, RelativeTime } from "@/components/kit/time";
import { UidChip } from "@/components/product/uid-chip";
import { ExpiresIn } from "./export-columns";
import { formatNames, resultNames } from "./labels";
import type { Export, ExportSource } from "./query";

/** What an export was made of, by kind and name. */
export function SourceList({ sources }: { sources: readonly ExportSource[] }) {
  return (
    <ul className="flex flex-col gap-1">
      {sources.map(({ kind, uid, name }) => (
        <li key={`${kind} ${uid}`} className="flex min-w-0 items-center gap-2">
          <Badge className="shrink-0">{kind}</Badge>
          {name === null ? (
            <span className="text-subtle">deleted</span>
          ) : (
            <span className="truncate" title={name}>
              {name}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

const took = ({ started_at: from, completed_at: to }: Export): number | null =>
  from === null || to === null ? null : Math.max(0, Date.parse(to) - Date.parse(from));

/** What was requested, by whom, and what became of it. */
export function ExportFacts({ of }: { of: Export }) {
  return (
    <KeyValue
      items={[
        [
          "Format",
          <span key="format" title={of.format}>
            {formatNames[of.format]}
          </span>,
        ],
        ["Sources", <SourceList key="sources" sources={of.sources} />],
        [
          "Filter",
          of.filter_query_string === "" ? (
            "Every item"
          ) : (
            <code key="filter" className="font-mono text-meta break-words">
              {of.filter_query_string}
            </code>
          ),
        ],
        ["Results", resultNames[of.results]],
        ["Requested by", of.created_by],
        ["Created", <InstantTime key="created" value={of.created_at} />],
        ["Finished", of.completed_at === null ? null : <RelativeTime key="finished" value={of.completed_at} />],
        ["Took", took(of) === null ? null : <Duration key="took" ms={took(of)} />],
        ["Size", Number(of.size_bytes) > 0 ? <Bytes key="size" value={Number(of.size_bytes)} /> : null],
        ["Where", of.bucket ?? "Muster's own storage"],
        ["Expires", <ExpiresIn key="expires" of={of} />],
        [
          "SHA-256",
          of.sha256 === null ? (
            <None key="hash" />
          ) : (
            <span key="hash" className="flex min-w-0 items-start gap-1">
              <code className="min-w-0 font-mono text-meta leading-5 break-all">{of.sha256}</code>
              <CopyButton text={of.sha256} name="Copy SHA-256" className="-my-1 shrink-0" />
            </span>
          ),
        ],
        ["Uid", <UidChip key="uid" uid={of.uid} max={24} />],
      ]}
    />
  );
}
