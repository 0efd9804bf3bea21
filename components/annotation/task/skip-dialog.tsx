"use client";

import { useState, type KeyboardEvent } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { Dialog } from "@/components/kit/dialog";
import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import { KeyHint } from "@/components/kit/kbd";
import { skipReasonLabels, skipReasons, type SkipReason } from "@/domain/tasks/skip-schema";

export interface SkipDialogProps {
  /** What is skipped: "0001.png". */
  title: string;
  /** The reason that is chosen as it opens. */
  reason: SkipReason | null;
  busy: boolean;
  onSkip: (reason: SkipReason, text: string) => void;
  onClose: () => void;
}

const maxText = 1_000;

/** Why nobody labels a picture: by a press, or a digit and Enter. */
export function SkipDialog({ title, reason: initial, busy, onSkip, onClose }: SkipDialogProps) {
  const [reason, setReason] = useState(initial);
  const [text, setText] = useState("");
  const missing =
    reason === null ? "Say why." : reason === "other" && text.trim() === "" ? "Say what is wrong." : undefined;
  const send = () => {
    if (reason !== null && missing === undefined && !busy) onSkip(reason, text.trim());
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const named = skipReasons[Number(event.key) - 1];
    // Enter on a reason chooses it, and skips once it is chosen.
    const isEnter = event.key === "Enter" && missing === undefined;
    if (!named && !isEnter) return;
    event.preventDefault();
    if (named) setReason(named);
    else send();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="sm"
      title={`Skip ${title}`}
      description="Nobody labels it then, until an admin takes that back."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" busy={busy} disabledReason={missing} onClick={send}>
            Skip
          </Button>
        </>
      }
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <div role="group" aria-label="Why" className="grid grid-cols-2 gap-2" onKeyDown={onKeyDown}>
          {skipReasons.map((each, at) => (
            <button
              key={each}
              type="button"
              data-first={at === 0 ? true : undefined}
              aria-pressed={each === reason}
              onClick={() => setReason(each)}
              className={cn(
                "flex h-8 items-center justify-between gap-1.5 rounded-panel border px-2 text-table whitespace-nowrap transition-colors max-sm:h-10",
                each === reason
                  ? "border-accent bg-selected font-medium text-foreground"
                  : "border-border-strong bg-raised text-muted hover:bg-hover hover:text-foreground",
              )}
            >
              {skipReasonLabels[each]}
              <span className="max-sm:hidden">
                <KeyHint keys={String(at + 1)} decorative />
              </span>
            </button>
          ))}
        </div>
        <Field label="What is wrong" optional={reason !== "other"}>
          <Input
            value={text}
            onValueChange={setText}
            maxLength={maxText}
            placeholder="The lens is covered"
            autoComplete="off"
          />
        </Field>
      </form>
    </Dialog>
  );
}
