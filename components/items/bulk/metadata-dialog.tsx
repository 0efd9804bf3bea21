"use client";

import { useState } from "react";
import { parseMetadataValue } from "@/components/items/metadata-value";
import { Dialog, DialogActions } from "@/components/kit/dialog";
import { useDialogWork } from "@/components/kit/dialog-work";
import { Field } from "@/components/kit/field";
import { plural } from "@/components/kit/format";
import { Input } from "@/components/kit/input";
import { RadioGroup } from "@/components/kit/radio-group";

interface MetadataDialogProps {
  count: number;
  open: boolean;
  onClose: () => void;
  onSet: (metadata: Record<string, unknown>) => Promise<void>;
}

/** Sets or removes one member of the metadata of many items. */
export function MetadataDialog({ count, open, onClose, onSet }: MetadataDialogProps) {
  const [name, setName] = useState("");
  const [text, setText] = useState("");
  const [kind, setKind] = useState<"set" | "remove">("set");
  const { busy, run } = useDialogWork(onClose);
  const valid = /^[\p{L}\p{N}_-]{1,100}$/u.test(name) && (kind === "remove" || text.trim() !== "");
  const save = () => {
    if (!valid || busy) return;
    void run(() => onSet({ [name]: kind === "remove" ? null : parseMetadataValue(text) }));
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={`Set metadata of ${plural(count, "item")}`}
      size="sm"
      footer={
        <DialogActions
          action={kind === "remove" ? "Remove" : "Set"}
          busy={busy}
          disabled={!valid}
          onAction={save}
          onCancel={onClose}
        />
      }
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Field
          label="Name"
          hint="Letters, digits, _ and -"
          error={name === "" || /^[\p{L}\p{N}_-]{1,100}$/u.test(name) ? undefined : "Only letters, digits, _ and -."}
        >
          <Input value={name} autoComplete="off" spellCheck={false} onValueChange={setName} />
        </Field>
        <RadioGroup
          aria-label="What is done with it"
          value={kind}
          onValueChange={setKind}
          options={[
            { value: "set", label: "Set it" },
            { value: "remove", label: "Remove it" },
          ]}
        />
        {kind === "set" && (
          <Field label="Value" hint="A number, true, false, a list or an object; anything else is a text.">
            <Input value={text} autoComplete="off" spellCheck={false} onValueChange={setText} />
          </Field>
        )}
        <button type="submit" hidden />
      </form>
    </Dialog>
  );
}
