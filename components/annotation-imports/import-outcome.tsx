"use client";

import { Download } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { formatNumber, plural } from "@/components/kit/format";
import { Progress } from "@/components/kit/progress";
import { saveFile } from "@/components/kit/save-file";
import { toast } from "@/components/product/toast";
import { useTRPCClient } from "@/components/trpc/client";
import { maxReportRows } from "@/domain/annotation-imports/choices";
import { csvLine } from "@/domain/csv";
import { type AnnotationImport, describeMode, isAtWork } from "./query";

const count = (value: number): string => formatNumber(value, 0);

/** How an import stands that was started: its progress, then what became of the file. */
export function ImportOutcome({ found }: { found: AnnotationImport }) {
  const { status, position, total, file_name: name } = found;
  if (isAtWork(status)) {
    const share = status === "checking" || total === null || total === 0 ? null : position / total;
    const label = status === "checking" ? `Looking at ${name}` : `Importing ${name}`;
    return (
      <div className="flex flex-col gap-2">
        <Progress share={share} label={label} showLabel />
        {total !== null && status !== "checking" && (
          <p className="text-table text-muted tabular-nums">
            {count(position)} of {plural(total, "picture")}
          </p>
        )}
        <p className="text-meta text-muted">It goes on when this is closed.</p>
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-3" role="status">
      {found.error_message !== null && <p className="text-table text-critical-text">{found.error_message}</p>}
      {found.started_at !== null && <Counts found={found} />}
      {found.annotations_left + found.failed > 0 && <SaveReport found={found} />}
    </div>
  );
}

/** How many pictures and annotations are in the project now, and how many are not. */
function Counts({ found }: { found: AnnotationImport }) {
  const { done, unchanged, failed, annotation_count: annotations, annotations_left: left, mode } = found;
  const rows = [
    { label: `Pictures imported ${describeMode(mode)}`, value: done },
    { label: "Annotations in them", value: annotations },
    { label: "Pictures with nothing new", value: unchanged },
    { label: "Pictures left out", value: failed },
    { label: "Annotations left out", value: left },
  ];
  return (
    <dl className="flex flex-col text-table">
      {rows.map(({ label, value }) => (
        <div key={label} className="flex justify-between gap-4 border-b border-border py-1 last:border-0">
          <dt className="text-muted">{label}</dt>
          <dd className="tabular-nums">{count(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Saves what was left out, with the reasons. */
function SaveReport({ found }: { found: Pick<AnnotationImport, "uid" | "file_name"> }) {
  const client = useTRPCClient();
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      const report = await client.imports.report.query({ uid: found.uid });
      const lines = report.rows.map(({ picture, annotation, reason }) => csvLine([picture, annotation, reason]));
      const content = [csvLine(["picture", "annotation", "reason"]), ...lines].join("");
      saveFile({ name: `${found.file_name.replace(/\.[^.]+$/, "")}-left-out.csv`, content, type: "text/csv" });
    } catch (error) {
      toast.failure(error, { title: "The report was not saved" });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      size="sm"
      className="self-start"
      icon={<Download aria-hidden />}
      busy={busy}
      title={`At most ${count(maxReportRows)} rows`}
      onClick={() => void save()}
    >
      What was left out, as CSV
    </Button>
  );
}
