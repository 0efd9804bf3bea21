"use client";

import { useState, type KeyboardEvent } from "react";
import { Dialog, DialogActions } from "@/components/kit/dialog";
import { Field } from "@/components/kit/field";
import { KeyHint } from "@/components/kit/kbd";
import { RadioGroup } from "@/components/kit/radio-group";
import { Textarea } from "@/components/kit/textarea";
import { resolutionReasons, type ResolutionReason } from "@/domain/alerts/lifecycle";
import { maxTextLength } from "@/domain/limits";
import { reasonLabels } from "./labels";

export interface ResolveDialogProps {
  /** What is resolved: an alert's name or how many. */
  title: string;
  onClose: () => void;
  onResolve: (values: { note: string; reason: ResolutionReason | undefined }) => void;
}

const options = resolutionReasons.map((value, at) => ({
  value,
  label: reasonLabels[value] ?? value,
  icon: <KeyHint keys={String(at + 1)} decorative />,
}));

/** A dialog for why alerts are resolved: a reason by a press or its digit, a note, both or none. Ctrl+Enter sends. */
export function ResolveDialog({ title, onClose, onResolve }: ResolveDialogProps) {
  const [note, setNote] = useState("");
  const [reason, setReason] = useState<ResolutionReason | null>(null);
  const send = () => onResolve({ note: note.trim(), reason: reason ?? undefined });
  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = resolutionReasons[Number(event.key) - 1];
    const isTyping = event.target instanceof HTMLTextAreaElement || event.ctrlKey || event.metaKey || event.altKey;
    if (chosen !== undefined && !isTyping) {
      event.preventDefault();
      setReason(chosen);
      return;
    }
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    send();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Resolve ${title}`}
      footer={
        <DialogActions
          action={
            <>
              Resolve <KeyHint keys="mod+enter" inverted decorative />
            </>
          }
          onAction={send}
          onCancel={onClose}
        />
      }
    >
      <div className="flex flex-col gap-4" onKeyDown={onKeyDown}>
        <Field label="Reason" optional group hint="False alarms count towards the rule's noise.">
          <RadioGroup
            first
            aria-label="Reason"
            layout="segments"
            className="flex w-full flex-wrap"
            options={options}
            value={reason}
            onValueChange={setReason}
          />
        </Field>
        <Field label="Note" optional hint="Shown when the rule triggers on this device again.">
          <Textarea value={note} onChange={(event) => setNote(event.target.value)} rows={3} maxLength={maxTextLength} />
        </Field>
      </div>
    </Dialog>
  );
}
