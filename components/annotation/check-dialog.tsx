"use client";

import { Button } from "@/components/kit/button";
import { Dialog } from "@/components/kit/dialog";
import { plural } from "@/components/kit/format";
import type { CheckName } from "@/domain/annotations/check-names";
import type { CheckFinding } from "@/domain/annotations/checks";

interface CheckDialogProps {
  findings: readonly CheckFinding[];
  /** Those that the project lets nobody pass. */
  blocking: ReadonlySet<CheckName>;
  describe: (shape: string) => string;
  onShow: (shape: string) => void;
  onSubmit: () => void;
  onClose: () => void;
}

const maxShown = 100;

/** What is doubtful before a result is submitted; each line leads to its shape. */
export function CheckDialog({ findings, blocking, describe, onShow, onSubmit, onClose }: CheckDialogProps) {
  const refusals = findings.filter(({ check }) => blocking.has(check)).length;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`${plural(findings.length, "thing")} to look at`}
      footer={
        <>
          <Button onClick={onClose}>Back to the picture</Button>
          <Button
            variant="primary"
            disabledReason={refusals > 0 ? `${refusals} of them must be corrected first` : undefined}
            onClick={onSubmit}
          >
            Submit anyway
          </Button>
        </>
      }
    >
      <ul aria-label="Checks" className="flex flex-col gap-1">
        {findings.slice(0, maxShown).map(({ check, shape, message }, at) => (
          <li
            key={`${check} ${shape ?? ""} ${at}`}
            className="flex items-center gap-3 border-b py-1.5 text-table last:border-0"
          >
            <span className="min-w-0 flex-1">
              {message}
              {shape !== null && <span className="block text-meta text-subtle">{describe(shape)}</span>}
            </span>
            {shape !== null && (
              <Button size="sm" onClick={() => onShow(shape)}>
                Show
              </Button>
            )}
          </li>
        ))}
      </ul>
      {findings.length > maxShown && (
        <p className="pt-2 text-meta text-subtle">And {findings.length - maxShown} more.</p>
      )}
    </Dialog>
  );
}
