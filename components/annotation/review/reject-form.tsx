"use client";

import { X } from "lucide-react";
import { useEffect, useRef } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { Field } from "@/components/kit/field";
import { IconButton } from "@/components/kit/icon-button";
import { Input } from "@/components/kit/input";
import { KeyHint } from "@/components/kit/kbd";
import { useShortcuts } from "@/components/kit/shortcuts";
import { Textarea } from "@/components/kit/textarea";
import type { NewIssue } from "@/domain/tasks/issue-schema";
import {
  describeRejection,
  issueLabels,
  listNewIssues,
  rejectionKinds,
  toggleKind,
  type Rejection,
} from "../issues/rejection";

interface RejectFormProps {
  /** What is rejected: "0001.png", "12 results". */
  title: string;
  rejection: Rejection;
  onChange: (rejection: Rejection) => void;
  /** Whether issues can be pinned to places of a picture. */
  canPin?: boolean;
  onReject: (reason: string, issues: NewIssue[]) => void;
  onCancel: () => void;
}

const maxReason = 2_048;
/** No result has more issues than a request may have. */
const maxIssues = 100;

/** Why something is rejected: kinds by a press or a digit, pinned by a press on the picture, and words. */
export function RejectForm(props: RejectFormProps) {
  const { title, rejection, onChange, canPin = false, onReject, onCancel } = props;
  const { issues, current, text } = rejection;
  const first = useRef<HTMLButtonElement>(null);
  const reason = describeRejection(rejection).slice(0, maxReason);
  const isIncomplete = reason === "";
  const send = () => {
    if (!isIncomplete) onReject(reason, listNewIssues(rejection).slice(0, maxIssues));
  };
  useEffect(() => {
    first.current?.focus({ preventScroll: true });
  }, []);
  const group = "Reject";
  useShortcuts([
    ...rejectionKinds.map((kind, at) => ({
      keys: String(at + 1),
      label: issueLabels[kind],
      group,
      run: () => onChange(toggleKind(rejection, kind)),
    })),
    { keys: "mod+enter", label: "Reject", group, everywhere: true, run: send },
    { keys: "enter", label: "Reject", group, hidden: true, when: () => !isIncomplete, run: send },
    { keys: "escape", label: "Do not reject", group, everywhere: true, run: onCancel },
  ]);
  const pinned = issues.flatMap((issue) => (issue.point === undefined ? [] : [issue]));
  return (
    <form
      aria-label={`Reject ${title}`}
      className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-3"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div role="group" aria-label="What is wrong" className="grid grid-cols-2 gap-2">
        {rejectionKinds.map((kind, at) => {
          const isChosen = issues.some((issue) => issue.kind === kind);
          return (
            <button
              key={kind}
              ref={at === 0 ? first : undefined}
              type="button"
              aria-pressed={isChosen}
              onClick={() => onChange(toggleKind(rejection, kind))}
              className={cn(
                "flex h-8 items-center justify-between gap-1.5 rounded-panel border px-2 text-table whitespace-nowrap transition-colors max-sm:h-10",
                isChosen
                  ? "border-accent bg-selected font-medium text-foreground"
                  : "border-border-strong bg-raised text-muted hover:bg-hover hover:text-foreground",
              )}
            >
              {issueLabels[kind]}
              <span className="max-sm:hidden">
                <KeyHint keys={String(at + 1)} decorative />
              </span>
            </button>
          );
        })}
      </div>
      {canPin && (
        <p className="text-meta text-muted">
          {current === null
            ? "Press the picture where something is wrong."
            : `Press the picture to pin ${issueLabels[current].toLowerCase()}.`}
        </p>
      )}
      {pinned.length > 0 && (
        <ol aria-label="Pinned" className="flex flex-col gap-2">
          {pinned.map((issue, at) => (
            <li key={issue.id} className="flex items-end gap-2">
              <Field label={`${at + 1} ${issueLabels[issue.kind]}`} className="flex-1">
                <Input
                  value={issue.text}
                  maxLength={4_096}
                  placeholder="More about it"
                  onChange={(event) =>
                    onChange({
                      ...rejection,
                      issues: issues.map((each) => (each === issue ? { ...each, text: event.target.value } : each)),
                    })
                  }
                />
              </Field>
              <IconButton
                label={`Take pin ${at + 1} away`}
                icon={<X aria-hidden />}
                onClick={() => onChange({ ...rejection, issues: issues.filter((each) => each !== issue) })}
              />
            </li>
          ))}
        </ol>
      )}
      <Field label="What to do" optional={issues.some(({ kind }) => kind !== "other")}>
        <Textarea
          rows={2}
          maxLength={maxReason}
          value={text}
          placeholder="The cart behind the gate is missing"
          onChange={(event) => onChange({ ...rejection, text: event.target.value })}
        />
      </Field>
      <div className="sticky -bottom-3 -mx-3 -mb-3 flex items-center justify-end gap-2 bg-surface p-3">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="danger" disabledReason={isIncomplete ? "Say what is wrong." : undefined}>
          Reject
        </Button>
      </div>
    </form>
  );
}
