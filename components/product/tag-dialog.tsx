"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Dialog, DialogActions } from "@/components/kit/dialog";
import { Field } from "@/components/kit/field";
import { TagInput } from "@/components/kit/tag-input";
import { toQuery } from "./to-query";

export interface TagDialogProps {
  open: boolean;
  onClose: () => void;
  /** What is tagged: a name, or "3 recordings". */
  noun: string;
  /** The tags of the one object that is tagged; undefined for several, which get tags added or removed. */
  tags: readonly string[] | undefined;
  /** Query options of the tags in use. */
  query: { queryKey: readonly unknown[] };
  onSave: (add: string[], remove: string[]) => Promise<void>;
}

/** Changes the tags of one object, or adds tags to and removes them from several. */
export function TagDialog({ open, onClose, noun, tags, query, onSave }: TagDialogProps) {
  const known = useQuery({ ...toQuery<{ tags: string[] }>(query), enabled: open }).data?.tags ?? [];
  const [add, setAdd] = useState<string[]>([...(tags ?? [])]);
  const [remove, setRemove] = useState<string[]>([]);
  const [busy, setBusy] = useState(false);
  const change = tags
    ? { add: add.filter((tag) => !tags.includes(tag)), remove: tags.filter((tag) => !add.includes(tag)) }
    : { add, remove: remove.filter((tag) => !add.includes(tag)) };
  const nothing = change.add.length === 0 && change.remove.length === 0;
  const save = async () => {
    if (nothing) return onClose();
    setBusy(true);
    await onSave(change.add, [...change.remove]);
    setBusy(false);
    onClose();
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      size="sm"
      title={`Tag ${noun}`}
      footer={<DialogActions action="Save tags" busy={busy} onAction={save} onCancel={onClose} />}
    >
      <div className="flex flex-col gap-4">
        <Field label={tags ? "Tags" : "Add"}>
          <TagInput value={add} onValueChange={setAdd} suggestions={known} placeholder="hall-2, night" />
        </Field>
        {!tags && (
          <Field label="Remove" optional>
            <TagInput value={remove} onValueChange={setRemove} suggestions={known} />
          </Field>
        )}
      </div>
    </Dialog>
  );
}
