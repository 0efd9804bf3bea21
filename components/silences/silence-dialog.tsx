"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type KeyboardEvent } from "react";
import { Button } from "@/components/kit/button";
import { Checkbox } from "@/components/kit/checkbox";
import { Dialog } from "@/components/kit/dialog";
import { Field } from "@/components/kit/field";
import { formatNumber, plural } from "@/components/kit/format";
import { Input } from "@/components/kit/input";
import { KeyHint } from "@/components/kit/kbd";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { RadioGroup } from "@/components/kit/radio-group";
import { readFailure } from "@/components/product/failure";
import { FormError } from "@/components/product/form";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { required } from "@/domain/field-messages";
import { messageAt } from "@/domain/issues";
import { messagesByField } from "@/domain/issues";
import { maxNameLength, maxReasonLength } from "@/domain/limits";
import { explainMemberLimits } from "@/domain/silences/member-limits";
import { MatcherInput } from "./matcher-input";
import { hasMatchers, type Matchers, type Silence, type Mutes } from "./query";
import { RecurrenceField } from "./recurrence-field";
import type { Recurrence } from "./silence-texts";

export interface SilenceDialogProps {
  open: boolean;
  onClose: () => void;
  /** What it mutes initially, under the API's names. */
  matchers?: Matchers;
  /** The silence to change; without it one is created. */
  silence?: Silence;
  /** Hours until it ends, as it opens; four unless given. */
  hours?: number;
  onCreated?: (silence: { uid: string }) => void;
}

const spans = [
  { value: "1", label: "1 h" },
  { value: "4", label: "4 h" },
  { value: "24", label: "24 h" },
  { value: "168", label: "7 d" },
  { value: "until", label: "Until…" },
] as const;
type Span = (typeof spans)[number]["value"];

const hourMs = 3_600_000;

/** Creates a silence, or changes one: what it mutes, for how long, why; with a live count of what matches. */
export function SilenceDialog(props: SilenceDialogProps) {
  return (
    <Dialog
      open={props.open}
      onOpenChange={(open) => !open && props.onClose()}
      size="md"
      title={props.silence ? "Change silence" : "Silence"}
      description="Matching alerts are recorded as usual but send no notifications. They are listed under Silenced."
    >
      {props.open && <SilenceForm {...props} />}
    </Dialog>
  );
}

function SilenceForm({ onClose, matchers: given = {}, silence, hours = 4, onCreated }: SilenceDialogProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const { utc, zone } = useTimeZone();
  const { role, refusal } = usePermissions();
  const refused = refusal(silence && { author: silence.created_by_uid });
  const [matchers, setMatchers] = useState<Matchers>((silence?.matchers as Matchers | undefined) ?? given);
  const [reason, setReason] = useState(silence?.reason ?? "");
  const [ticket, setTicket] = useState(silence?.ticket ?? "");
  const [span, setSpan] = useState<Span>(() =>
    silence ? "until" : (spans.find(({ value }) => value === String(hours))?.value ?? "until"),
  );
  const [until, setUntil] = useState(() =>
    toLocalInput(silence ? Date.parse(silence.ends_at) : Date.now() + hours * hourMs, utc),
  );
  const [later, setLater] = useState(silence?.state === "scheduled");
  const [starts, setStarts] = useState(() =>
    toLocalInput(silence ? Date.parse(silence.starts_at) : Date.now() + hourMs, utc),
  );
  const [recurrence, setRecurrence] = useState<Recurrence | null>(silence?.recurrence ?? null);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [busy, setBusy] = useState(false);
  const preview = useQuery({
    ...trpc.silences.preview.queryOptions({ matchers }),
    enabled: hasMatchers(matchers),
    placeholderData: (before) => before,
  });

  const save = async () => {
    const startsAt = later ? fromLocalInput(starts, utc) : null;
    const begins = startsAt ? Date.parse(startsAt) : Date.now();
    const endsAt =
      span === "until" ? fromLocalInput(until, utc) : new Date(begins + Number(span) * hourMs).toISOString();
    const beginning = silence && !startsAt ? Date.parse(silence.starts_at) : begins;
    const missing: Record<string, string> = {
      ...(role === "member" &&
        endsAt !== null &&
        explainMemberLimits({ matchers, startsAt: new Date(beginning), endsAt: new Date(endsAt) })),
      ...(!hasMatchers(matchers) && { matchers: "Name at least one device, rule, severity or tag." }),
      ...(reason.trim() === "" && { reason: required }),
      ...(endsAt === null && { ends_at: required }),
      ...(later && startsAt === null && { starts_at: required }),
    };
    setErrors(missing);
    if (Object.keys(missing).length > 0 || endsAt === null || busy || refused !== undefined) return;
    const values = {
      matchers,
      reason: reason.trim(),
      ticket: ticket.trim(),
      ends_at: endsAt,
      ...(startsAt && { starts_at: startsAt }),
    };
    setBusy(true);
    try {
      const saved = silence
        ? await client.silences.update.mutate({ uid: silence.uid, change: { ...values, recurrence } })
        : await client.silences.create.mutate({ ...values, ...(recurrence && { recurrence }) });
      await Promise.all([
        queryClient.invalidateQueries(trpc.silences.pathFilter()),
        queryClient.invalidateQueries(trpc.alerts.pathFilter()),
      ]);
      if (silence) toast.success("Silence changed");
      else if (!onCreated) toast.success("Silenced");
      onCreated?.(saved);
      onClose();
    } catch (error) {
      const { issues } = readFailure(error);
      setErrors(messagesByField(issues));
      if (issues.length === 0) toast.failure(error, { title: "The silence was not saved" });
    } finally {
      setBusy(false);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void save();
  };

  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {errors.root && <FormError>{errors.root}</FormError>}
      <Field label="What it mutes" group error={errors.matchers}>
        <MatcherInput value={matchers} onValueChange={setMatchers} />
        <MutesLine mutes={hasMatchers(matchers) ? preview.data : undefined} error={preview.error} />
      </Field>
      <Field label="Reason" error={errors.reason}>
        <Input
          value={reason}
          onValueChange={setReason}
          maxLength={maxReasonLength}
          placeholder="Gearbox is being replaced"
          autoComplete="off"
          autoFocus={hasMatchers(given)}
        />
      </Field>
      <Field label="Ticket" optional>
        <Input
          value={ticket}
          onValueChange={setTicket}
          maxLength={maxNameLength}
          placeholder="OPS-1234"
          autoComplete="off"
        />
      </Field>
      <Field label="Ends" group error={errors.ends_at}>
        <div className="flex flex-wrap items-center gap-2">
          <RadioGroup aria-label="Ends after" layout="segments" options={spans} value={span} onValueChange={setSpan} />
          {span === "until" && (
            <>
              <Input
                type="datetime-local"
                aria-label="Ends at"
                className="w-52"
                value={until}
                onChange={(event) => setUntil(event.target.value)}
              />
              <span className="text-meta text-subtle">{zone}</span>
            </>
          )}
        </div>
      </Field>
      <Field label="Starts" group hideLabel error={errors.starts_at}>
        <div className="flex flex-col gap-2">
          <Checkbox
            label="Starts later"
            checked={later}
            disabled={silence?.state === "active"}
            onCheckedChange={setLater}
          />
          {later && (
            <div className="ml-6 flex items-center gap-2">
              <Input
                type="datetime-local"
                aria-label="Starts at"
                className="w-52"
                value={starts}
                onChange={(event) => setStarts(event.target.value)}
              />
              <span className="text-meta text-subtle">{zone}</span>
            </div>
          )}
        </div>
      </Field>
      <Field label="Repeats" group hideLabel error={errors.recurrence}>
        <RecurrenceField
          value={recurrence}
          onValueChange={(next) => {
            // A recurrence needs at least one day.
            if (next && !recurrence && span !== "until") setSpan("168");
            setRecurrence(next);
          }}
        />
      </Field>
      <div className="flex justify-end gap-2 border-t pt-4">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" busy={busy} disabledReason={refused}>
          {silence ? "Save" : "Silence"} <KeyHint keys="mod+enter" inverted decorative />
        </Button>
      </div>
    </form>
  );
}

/** What the matchers match now, in one line that is announced when it changes. */
function MutesLine({ mutes, error }: { mutes: Mutes | undefined; error: unknown }) {
  if (error) {
    const { issues, detail } = readFailure(error);
    return <p className="mt-1.5 text-meta text-critical-text">{messageAt(issues, "matchers") ?? detail}</p>;
  }
  return (
    <p role="status" className="mt-1.5 min-h-4 text-meta text-muted">
      {mutes && (
        <>
          Mutes <span className="font-medium text-foreground">{plural(mutes.open_alerts, "open alert")}</span>,{" "}
          {plural(mutes.rules, "rule")}, {formatNumber(mutes.devices, 0)} {mutes.devices === 1 ? "device" : "devices"}
        </>
      )}
    </p>
  );
}

const pad = (value: number): string => String(value).padStart(2, "0");

/** An instant (ms) as a `datetime-local` input shows it, `2026-03-04T22:00`; in UTC, or by the browser's own clock. */
function toLocalInput(at: number, utc: boolean): string {
  const date = new Date(at);
  if (utc) return date.toISOString().slice(0, 16);
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}T${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

/** The instant that such an input names, as ISO; null while it names none. */
function fromLocalInput(text: string, utc: boolean): string | null {
  const at = Date.parse(utc ? `${text}:00Z` : text);
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}
