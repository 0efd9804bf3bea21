"use client";

import type { ReactNode } from "react";
import { Badge } from "@/components/kit/badge";
import { CopyButton } from "@/components/kit/copy-button";
import { formatNumber } from "@/components/kit/format";
import { KeyValue } from "@/components/kit/key-value";
import { Bytes, Duration } from "@/components/kit/measure";
import { InstantTime, RelativeTime } from "@/components/kit/time";
import { UidChip } from "@/components/product/uid-chip";
import { splitParts, toShares, type SplitShares } from "@/domain/exports/schema";
import { ExpiresIn } from "./export-columns";
import { formatNames, partNames, resultNames } from "./labels";
import type { Export, ExportSource } from "./query";

/** What an export was made of, by kind and name. */
function SourceList({ sources }: { sources: readonly ExportSource[] }) {
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

type Fact = readonly [label: string, value: ReactNode];

/** What became of a finished export; what it has not is left out. */
function outcome(of: Export): Fact[] {
  const hasFile = of.status === "exported";
  const facts: Fact[] = [
    ["Finished", <RelativeTime key="finished" value={of.completed_at} />],
    ["Took", took(of) === null ? null : <Duration key="took" ms={took(of)} />],
    ["Size", hasFile ? <Bytes key="size" value={Number(of.size_bytes)} /> : null],
    ["Expires", hasFile ? <ExpiresIn key="expires" of={of} /> : null],
    [
      "SHA-256",
      of.sha256 === null ? null : (
        <span key="hash" className="flex min-w-0 items-start gap-1">
          <code className="min-w-0 font-mono text-meta leading-5 break-all">{of.sha256}</code>
          <CopyButton text={of.sha256} name="Copy SHA-256" className="-my-1 shrink-0" />
        </span>
      ),
    ],
  ];
  return facts.filter(([, value]) => value !== null);
}

const trainingFacts = (split: SplitShares, background: boolean): Fact[] => [
  ["Parts", splitParts.map((part) => `${partNames[part]} ${formatNumber(split[part] * 100, 2)} %`).join(", ")],
  ["Unlabelled pictures", background ? "As background" : "Left out"],
];

/** What was requested, by whom, and what became of it. */
export function ExportFacts({ of }: { of: Export }) {
  const finished = of.completed_at !== null;
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
        ...(of.split === null ? [] : trainingFacts(toShares(of.split), of.background)),
        ["Requested by", of.created_by],
        ["Created", <InstantTime key="created" value={of.created_at} />],
        ["Where", of.bucket ?? "Muster's own storage"],
        ...(finished ? outcome(of) : []),
        ["Uid", <UidChip key="uid" uid={of.uid} max={24} />],
      ]}
    />
  );
}
