"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Dialog, DialogActions } from "@/components/kit/dialog";
import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import { readFailure } from "@/components/product/failure";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { messageAt, type Issue } from "@/domain/issues";
import { maxNameLength } from "@/domain/limits";
import type { Slice } from "./query";

/** Changes the name and description of a slice; its address stays. */
export function RenameSlice({ slice, open, onClose }: { slice: Slice; open: boolean; onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [name, setName] = useState(slice.name);
  const [description, setDescription] = useState(slice.description);
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    setIssues([]);
    try {
      await client.slices.update.mutate({ uid: slice.uid, change: { name: name.trim(), description } });
      await queryClient.invalidateQueries(trpc.slices.pathFilter());
      onClose();
    } catch (error) {
      const failure = readFailure(error);
      setIssues(failure.issues);
      if (failure.issues.length === 0) toast.failure(error, { title: "The slice was not changed" });
    } finally {
      setBusy(false);
    }
  };
  // The fields are those of the change.
  const readMessage = (field: string) => messageAt(issues, field) ?? messageAt(issues, "change", field);
  return (
    <Dialog
      open={open}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={`Rename ${slice.name}`}
      size="sm"
      footer={
        <DialogActions
          action="Save"
          busy={busy}
          disabled={name.trim() === ""}
          onAction={() => void save()}
          onCancel={onClose}
        />
      }
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== "" && !busy) void save();
        }}
      >
        <Field label="Name" error={readMessage("name")}>
          <Input value={name} maxLength={maxNameLength} autoComplete="off" onValueChange={setName} />
        </Field>
        <Field label="Description" optional error={readMessage("description")}>
          <Input value={description} autoComplete="off" onValueChange={setDescription} />
        </Field>
        <button type="submit" hidden />
      </form>
    </Dialog>
  );
}
