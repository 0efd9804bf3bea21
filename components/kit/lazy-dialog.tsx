"use client";

import type { ComponentType } from "react";
import { Dialog } from "./dialog";
import { createPart, type LazyPart } from "./lazy-part";
import { describeFailure, FailedPartButton, type FailedPartProps } from "./part-failed";

/** How dialogs are closed from within. */
interface Closed {
  onClose?: () => void;
  onOpenChange?: (open: boolean) => void;
  /** Those that stay mounted say whether they are open. */
  open?: boolean;
}

function FailedDialog({ of, ...failed }: FailedPartProps & { of: Closed }) {
  const close = () => {
    of.onClose?.();
    of.onOpenChange?.(false);
  };
  return (
    <Dialog
      open={of.open ?? true}
      onOpenChange={(open) => !open && close()}
      size="sm"
      title="This could not be opened"
      description={describeFailure(failed.failure)}
      footer={<FailedPartButton {...failed} />}
    />
  );
}

/** A dialog, drawer or palette that is loaded when it is opened; a small dialog says so where it could not be. */
export const lazyDialog = <Props extends Closed>(load: () => Promise<ComponentType<Props>>): LazyPart<Props> =>
  createPart(load, FailedDialog);
