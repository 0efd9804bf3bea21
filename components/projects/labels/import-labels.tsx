"use client";

import { useQuery } from "@tanstack/react-query";
import { FileUp } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { useDemoFilter } from "@/components/demo-fleet/demo-choice";
import { Button } from "@/components/kit/button";
import { Combobox } from "@/components/kit/combobox";
import { Dialog } from "@/components/kit/dialog";
import { Field } from "@/components/kit/field";
import { plural } from "@/components/kit/format";
import { RadioGroup } from "@/components/kit/radio-group";
import { Textarea } from "@/components/kit/textarea";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC } from "@/components/trpc/client";
import { fitLabels, type ReadLabels } from "@/domain/projects/label-files/found-labels";
import type { Label, LabelInput } from "@/domain/projects/label-schema";
import { describeDetails } from "./label-details";
import { maxLabelText, readLabelText } from "./read-label-text";
import { Swatch } from "./swatch";
import { shapeTypeLabels, type ShapeType } from "./task-shapes";

interface ImportLabelsProps {
  /** The labels that are there. */
  present: readonly LabelInput[];
  /** The shapes that the project's kind of task can have. */
  shapes: readonly ShapeType[];
  onAdd: (labels: LabelInput[]) => void;
  onClose: () => void;
}

const sources = [
  { value: "file" as const, label: "A file" },
  { value: "project" as const, label: "Another project" },
];

const maxProjects = 100;

const toFound = (labels: readonly Label[]): ReadLabels => ({
  labels: labels.filter(({ retired }) => !retired),
  leftOut: labels.filter(({ retired }) => retired).map(({ name }) => `${name} is left out: it is retired.`),
});

/** Labels of a file or of another project, shown before they are added to those that are edited. */
export function ImportLabels({ present, shapes, onAdd, onClose }: ImportLabelsProps) {
  const [source, setSource] = useState<"file" | "project">("file");
  const [text, setText] = useState("");
  const [project, setProject] = useState<string | null>(null);
  const trpc = useTRPC();
  const chosen = useQuery({
    ...trpc.projects.overviewOf.queryOptions({ uid: project ?? "" }),
    enabled: project !== null,
  });
  const ofProject = source === "project" ? chosen.data?.labels : undefined;
  const found = useMemo(() => {
    if (source === "project") return ofProject && toFound(ofProject);
    return text.trim() === "" ? undefined : readLabelText(text);
  }, [source, text, ofProject]);
  const fault = found && "fault" in found ? found.fault : undefined;
  const fit = useMemo(
    () => (found && !("fault" in found) ? fitLabels(found, { present, shapes }) : undefined),
    [found, present, shapes],
  );
  const count = fit?.labels.length ?? 0;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Import labels"
      description="They are added below those that are there. Nothing is saved yet."
      size="lg"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabledReason={count === 0 ? "There is nothing to add." : undefined}
            onClick={() => {
              if (fit) onAdd(fit.labels);
              onClose();
            }}
          >
            {count === 0 ? "Add labels" : `Add ${plural(count, "label")}`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <RadioGroup
          layout="segments"
          aria-label="Import from"
          options={sources}
          value={source}
          onValueChange={setSource}
        />
        {source === "file" ? (
          <FileSource text={text} fault={fault} onChange={setText} />
        ) : (
          <ProjectSource project={project} onChange={setProject} />
        )}
        {source === "project" && chosen.error && project !== null && (
          <ErrorState error={chosen.error} onRetry={() => void chosen.refetch()} className="py-4" />
        )}
        {fit && <WhatIsAdded {...fit} />}
      </div>
    </Dialog>
  );
}

function FileSource(props: { text: string; fault: string | undefined; onChange: (text: string) => void }) {
  const { text, fault, onChange } = props;
  const picker = useRef<HTMLInputElement>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const error = refused ?? fault;
  const read = async (file: File) => {
    const isTooLarge = file.size > 4 * maxLabelText;
    setRefused(isTooLarge ? `${file.name} is too large to be a list of labels.` : null);
    onChange(isTooLarge ? "" : await file.text());
  };
  return (
    <>
      <Field
        label="What the file holds"
        hint="A data.yaml of YOLO, the labels of CVAT (its constructor's tab Raw), or a labeling configuration of Label Studio."
        {...(error !== undefined && { error })}
      >
        <Textarea
          mono
          rows={6}
          value={text}
          spellCheck={false}
          placeholder="Choose a file, or paste it here"
          onChange={(event) => {
            setRefused(null);
            onChange(event.target.value);
          }}
        />
      </Field>
      <input
        ref={picker}
        type="file"
        hidden
        accept=".yaml,.yml,.json,.xml,.txt"
        aria-label="File with labels"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = "";
          if (file) void read(file);
        }}
      />
      <Button className="self-start" icon={<FileUp aria-hidden />} onClick={() => picker.current?.click()}>
        Choose a file
      </Button>
    </>
  );
}

function ProjectSource({ project, onChange }: { project: string | null; onChange: (uid: string) => void }) {
  const trpc = useTRPC();
  const shown = useDemoFilter();
  const query = useQuery(trpc.projects.overview.queryOptions({ ...shown, limit: maxProjects }));
  if (query.error && !query.data)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} className="py-4" />;
  const options = query.data?.results.map(({ uid, name }) => ({ value: uid, label: name })) ?? [];
  return (
    <Field label="Project" {...(query.data && options.length === 0 && { hint: "There is no other project yet." })}>
      <Combobox options={options} value={project} onValueChange={(uid) => uid !== null && onChange(uid)} />
    </Field>
  );
}

const maxLines = 50;

/** What would become rows, and what would not. */
function WhatIsAdded({ labels, leftOut }: { labels: readonly LabelInput[]; leftOut: readonly string[] }) {
  return (
    <>
      {labels.length > 0 && (
        <ol aria-label="Labels to add" className="flex max-h-60 flex-col overflow-y-auto border-y" tabIndex={0}>
          {labels.map((label) => (
            <li key={label.name} className="flex min-h-8 items-center gap-2 border-b py-1 text-table last:border-0">
              <Swatch color={label.color} />
              <span className="min-w-0 flex-1 truncate font-medium">{label.name}</span>
              <span className="shrink-0 text-meta text-muted">
                {[label.types.map((type) => shapeTypeLabels[type]).join(", "), describeDetails(label)]
                  .filter((part) => part !== "")
                  .join("; ")}
              </span>
            </li>
          ))}
        </ol>
      )}
      {leftOut.length > 0 && (
        <div role="status" className="border-l-2 border-accent pl-3 text-table">
          <ul aria-label="What is left out" className="flex flex-col gap-0.5">
            {leftOut.slice(0, maxLines).map((line, at) => (
              <li key={`${at} ${line}`} className="wrap-break-word">
                {line}
              </li>
            ))}
            {leftOut.length > maxLines && <li>And {leftOut.length - maxLines} more.</li>}
          </ul>
        </div>
      )}
    </>
  );
}
