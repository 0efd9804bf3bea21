"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Dialog, DialogActions } from "@/components/kit/dialog";
import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import { Select } from "@/components/kit/select";
import { Shape } from "@/components/kit/shape";
import { TagInput } from "@/components/kit/tag-input";
import { eventLooks, eventTypeOrder } from "@/components/product/event-type";
import { readFailure } from "@/components/product/failure";
import { severityOptions } from "@/components/product/severity-options";
import { toast } from "@/components/product/toast";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { messagesByField } from "@/domain/issues";
import type { Severity } from "@/domain/severity";
import { exactIsoFromNs } from "@/domain/time/nanoseconds";

type EventType = (typeof eventTypeOrder)[number];

/** A new event at a moment, or over a range: seconds of the axis. */
export function EventDialog({ at, duration, onClose }: { at: number; duration: number; onClose: () => void }) {
  const { axis, recording } = useTimeline();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [type, setType] = useState<EventType>("custom");
  const [severity, setSeverity] = useState<Severity>("info");
  const [label, setLabel] = useState("");
  const [tags, setTags] = useState<string[]>([]);
  const [seconds, setSeconds] = useState(duration > 0 ? duration.toFixed(3) : "");
  const [busy, setBusy] = useState(false);
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const length = seconds.trim() === "" ? null : Number(seconds);

  const save = async () => {
    if (label.trim() === "") return setErrors({ label: "Describe in a few words what happened." });
    if (length !== null && !(length >= 0))
      return setErrors({ duration_ms: "Enter seconds, or leave it empty for a single moment." });
    setBusy(true);
    try {
      const event = await client.events.create.mutate({
        recording_id: recording.uid,
        type,
        severity,
        label: label.trim(),
        tags,
        timestamp: exactIsoFromNs(axis.ns(at)),
        duration_ms: length === null || length === 0 ? null : length * 1000,
      });
      await queryClient.invalidateQueries(trpc.recordings.events.pathFilter());
      onClose();
      toast.undo("Event created", () => {
        client.events.delete.mutate({ uid: event.uid }).then(
          () => queryClient.invalidateQueries(trpc.recordings.events.pathFilter()),
          (error: unknown) => toast.failure(error, { title: "The event was not undone" }),
        );
      });
    } catch (error) {
      const { issues } = readFailure(error);
      setErrors(messagesByField(issues));
      if (issues.length === 0) toast.failure(error, { title: "The event was not created" });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="sm"
      title="Create event"
      description={`At ${exactIsoFromNs(axis.ns(at)).slice(0, 23).replace("T", " ")} UTC`}
      footer={<DialogActions action="Create event" busy={busy} onAction={save} onCancel={onClose} />}
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Field label="Label" error={errors.label}>
          <Input value={label} onValueChange={setLabel} autoComplete="off" />
        </Field>
        <div className="grid grid-cols-2 gap-3">
          <Field label="Type" error={errors.type}>
            <Select
              value={type}
              onValueChange={setType}
              options={eventTypeOrder.map((each) => ({
                value: each,
                label: eventLooks[each].label,
                icon: <Shape name={eventLooks[each].shape} className={eventLooks[each].className} />,
              }))}
            />
          </Field>
          <Field label="Severity" error={errors.severity}>
            <Select value={severity} onValueChange={setSeverity} options={severityOptions} />
          </Field>
        </div>
        <Field label="Duration, seconds" hint="Empty for a single moment" error={errors.duration_ms}>
          <Input value={seconds} onValueChange={setSeconds} inputMode="decimal" autoComplete="off" />
        </Field>
        <Field label="Tags" error={errors.tags}>
          <TagInput value={tags} onValueChange={setTags} />
        </Field>
        <button type="submit" hidden />
      </form>
    </Dialog>
  );
}
