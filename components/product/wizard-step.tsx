"use client";

import { useId, type ReactNode } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";

/** One step of a page that is gone through in order: its fields and, beside them, what they mean. Phones show one at a time. */
export function WizardStep(props: {
  /** Its number, from 1. */
  at: number;
  title: string;
  /** The step that a phone shows. */
  current: number;
  /** Left out, the fields have the whole width. */
  beside?: ReactNode;
  children: ReactNode;
}) {
  const { at, title, current, beside, children } = props;
  const headingId = useId();
  return (
    <section
      aria-labelledby={headingId}
      className={cn(
        "grid gap-x-10 gap-y-4",
        beside !== undefined && "lg:grid-cols-[minmax(0,26rem)_minmax(0,1fr)]",
        at !== current && "max-sm:hidden",
      )}
    >
      <h2 id={headingId} className={cn("text-section font-semibold", beside !== undefined && "lg:col-span-2")}>
        <span className="text-subtle tabular-nums">{at}</span> {title}
      </h2>
      <div className="flex min-w-0 flex-col gap-5">{children}</div>
      {beside !== undefined && <div className="min-w-0">{beside}</div>}
    </section>
  );
}

/** Leads a phone from step to step; the last one has the button that finishes. */
export function WizardFoot(props: {
  step: number;
  steps: number;
  onStep: (step: number) => void;
  /** Why the next step cannot be shown yet. */
  nextReason: string | undefined;
  finish: ReactNode;
}) {
  const { step, steps, onStep, nextReason, finish } = props;
  return (
    <div className="sticky bottom-0 flex items-center justify-between gap-3 border-t bg-surface px-4 py-3 sm:hidden">
      <Button disabled={step === 1} onClick={() => onStep(step - 1)}>
        Back
      </Button>
      <span className="text-meta text-muted tabular-nums">
        {step} of {steps}
      </span>
      {step < steps ? (
        <Button variant="primary" disabledReason={nextReason} onClick={() => onStep(step + 1)}>
          Next
        </Button>
      ) : (
        finish
      )}
    </div>
  );
}
