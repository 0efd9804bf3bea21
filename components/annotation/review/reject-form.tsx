"use client";

import { useEffect, useRef, useState } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { Field } from "@/components/kit/field";
import { KeyHint } from "@/components/kit/kbd";
import { useShortcuts } from "@/components/kit/shortcuts";
import { Textarea } from "@/components/kit/textarea";
import { describeRejection, rejectionKinds, rejectionLabels, type RejectionKind } from "./rejection";

interface RejectFormProps {
  /** What is rejected: "0001.png", "12 results". */
  title: string;
  onReject: (reason: string) => void;
  onCancel: () => void;
}

const maxReason = 2_048;

/** Why something is rejected: kinds by a press or a digit, and words. */
export function RejectForm({ title, onReject, onCancel }: RejectFormProps) {
  const first = useRef<HTMLButtonElement>(null);
  const [kinds, setKinds] = useState<ReadonlySet<RejectionKind>>(new Set());
  const [text, setText] = useState("");
  const chosen = rejectionKinds.filter((kind) => kinds.has(kind));
  const reason = describeRejection(chosen, text).slice(0, maxReason);
  const isIncomplete = reason === "";
  const toggle = (kind: RejectionKind) => {
    const next = new Set(kinds);
    if (!next.delete(kind)) next.add(kind);
    setKinds(next);
  };
  const send = () => {
    if (!isIncomplete) onReject(reason);
  };
  useEffect(() => {
    first.current?.focus({ preventScroll: true });
  }, []);
  const group = "Reject";
  useShortcuts([
    ...rejectionKinds.map((kind, at) => ({
      keys: String(at + 1),
      label: rejectionLabels[kind],
      group,
      run: () => toggle(kind),
    })),
    { keys: "mod+enter", label: "Reject", group, everywhere: true, run: send },
    { keys: "enter", label: "Reject", group, hidden: true, when: () => !isIncomplete, run: send },
    { keys: "escape", label: "Do not reject", group, everywhere: true, run: onCancel },
  ]);
  return (
    <form
      aria-label={`Reject ${title}`}
      className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-3"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div role="group" aria-label="What is wrong" className="grid grid-cols-2 gap-2">
        {rejectionKinds.map((kind, at) => (
          <button
            key={kind}
            ref={at === 0 ? first : undefined}
            type="button"
            aria-pressed={kinds.has(kind)}
            onClick={() => toggle(kind)}
            className={cn(
              "flex h-8 items-center justify-between gap-1.5 rounded-panel border px-2 whitespace-nowrap text-table transition-colors max-sm:h-10",
              kinds.has(kind)
                ? "border-accent bg-selected font-medium text-foreground"
                : "border-border-strong bg-raised text-muted hover:bg-hover hover:text-foreground",
            )}
          >
            {rejectionLabels[kind]}
            <span className="max-sm:hidden">
              <KeyHint keys={String(at + 1)} decorative />
            </span>
          </button>
        ))}
      </div>
      <Field label="What to do" optional={chosen.some((kind) => kind !== "other")}>
        <Textarea
          rows={3}
          maxLength={maxReason}
          value={text}
          placeholder="The cart behind the gate is missing"
          onChange={(event) => setText(event.target.value)}
        />
      </Field>
      <div className="flex items-center justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="danger" disabledReason={isIncomplete ? "Say what is wrong." : undefined}>
          Reject
        </Button>
      </div>
    </form>
  );
}
