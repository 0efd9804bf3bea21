"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Dialog, DialogActions } from "@/components/kit/dialog";
import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { Select } from "@/components/kit/select";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient, type Outputs } from "@/components/trpc/client";
import { fleetPageSize } from "@/domain/limits";

type Batch = Outputs["projects"]["batches"]["results"][number];

const asItIs = "as it is";
const nobody = "nobody";

/** When a batch has to be done, and who gets its tasks that nobody has begun. */
export default function BatchDialog({ batch, onClose }: { batch: Batch; onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const members = useQuery(trpc.members.list.queryOptions({ limit: fleetPageSize.max })).data?.results ?? [];
  const { utc } = useTimeZone();
  const [due, setDue] = useState(batch.due === null ? "" : toDueDate(batch.due, utc));
  const [assignee, setAssignee] = useState(asItIs);
  const [busy, setBusy] = useState(false);
  const people = [
    { value: asItIs, label: "Leave as it is" },
    { value: nobody, label: "Nobody" },
    ...members.map(({ username }) => ({ value: `@${username}`, label: username })),
  ];
  const save = async () => {
    setBusy(true);
    try {
      await client.batches.update.mutate({
        uid: batch.uid,
        due: due === "" ? null : fromDueDate(due, utc),
        ...(assignee === asItIs ? {} : { assignee: assignee === nobody ? null : assignee.slice(1) }),
      });
      await Promise.all(
        [trpc.projects.batches, trpc.tasks.queue].map((procedure) =>
          queryClient.invalidateQueries(procedure.pathFilter()),
        ),
      );
      toast.success(`Changed batch ${batch.number}`);
      onClose();
    } catch (error) {
      setBusy(false);
      toast.failure(error, { title: `Batch ${batch.number} was not changed` });
    }
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="sm"
      title={`Batch ${batch.number}`}
      footer={<DialogActions action="Save" busy={busy} onAction={save} onCancel={onClose} />}
    >
      <div className="flex flex-col gap-4">
        <Field label="Due" hint="At the end of this day. Empty: whenever it is done.">
          <Input type="date" value={due} onChange={(event) => setDue(event.target.value)} />
        </Field>
        <Field label="Tasks that nobody has begun">
          <Select
            aria-label="Tasks that nobody has begun"
            options={people}
            value={assignee}
            onValueChange={setAssignee}
          />
        </Field>
      </div>
    </Dialog>
  );
}

const pad = (value: number): string => String(value).padStart(2, "0");

/** The day of an instant as a date input shows it, `2026-03-04`: in UTC, or by the browser's own clock. */
function toDueDate(iso: string, utc: boolean): string {
  const date = new Date(iso);
  if (utc) return date.toISOString().slice(0, 10);
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

/** The end of the day that such an input names, as ISO; null while it names none. */
function fromDueDate(text: string, utc: boolean): string | null {
  const at = Date.parse(`${text}T23:59:59${utc ? "Z" : ""}`);
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}
