"use client";

import { useState, type ReactElement, type ReactNode } from "react";
import { Dialog, DialogActions } from "./dialog";
import { useDialogWork } from "./dialog-work";
import { Field } from "./field";
import { Input } from "./input";

export interface ConfirmDialogProps {
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  trigger?: ReactElement<Record<string, unknown>>;
  /** A question that names the object: "Delete arm-04?". */
  title: string;
  /** What will be lost and what stays. */
  description?: ReactNode;
  children?: ReactNode;
  /** The verb on the button: "Delete device". */
  action: string;
  danger?: boolean;
  /** The person must type this name before the button works; for what cannot be undone. */
  typeToConfirm?: string;
  /** May return a promise: the button is busy meanwhile, and the dialog closes when it resolves. */
  onConfirm: () => void | Promise<unknown>;
}

/** Asks before something destructive. A rejected `onConfirm` keeps it open; report the error yourself (a toast). */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, description, children, action, danger = true, typeToConfirm, onConfirm, trigger } = props;
  const [ownOpen, setOwnOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const open = props.open ?? ownOpen;
  const setOpen = (next: boolean) => {
    setOwnOpen(next);
    setTyped("");
    props.onOpenChange?.(next);
  };
  const ready = typeToConfirm === undefined || typed.trim() === typeToConfirm;

  const { busy, run } = useDialogWork(() => setOpen(false));
  const confirm = () => void run(onConfirm);

  return (
    <Dialog
      open={open}
      onOpenChange={setOpen}
      trigger={trigger}
      title={title}
      description={description}
      size="sm"
      footer={
        <DialogActions
          action={action}
          danger={danger}
          busy={busy}
          disabled={!ready}
          onAction={confirm}
          onCancel={() => setOpen(false)}
        />
      }
    >
      {children}
      {typeToConfirm !== undefined && (
        <form
          className={children ? "mt-4" : undefined}
          onSubmit={(event) => {
            event.preventDefault();
            if (ready && !busy) confirm();
          }}
        >
          <Field
            label={
              <>
                Type <span className="font-mono font-semibold select-all">{typeToConfirm}</span> to confirm
              </>
            }
          >
            <Input value={typed} onValueChange={setTyped} autoComplete="off" spellCheck={false} />
          </Field>
        </form>
      )}
    </Dialog>
  );
}
