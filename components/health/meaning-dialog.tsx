"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { Checkbox } from "@/components/kit/checkbox";
import { Dialog } from "@/components/kit/dialog";
import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import { Select } from "@/components/kit/select";
import { readFailure } from "@/components/product/failure";
import { FormError } from "@/components/product/form";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC } from "@/components/trpc/client";
import { boundNames, metricKinds, resolveMeaning } from "@/domain/health/meanings";
import { messagesByField } from "@/domain/issues";
import { boundTexts, readDraft, toDraft, type Draft } from "./meaning-draft";
import { describeBounds, kindTexts } from "./metric-texts";
import type { Metric } from "./query";

const everyType = "every type";

/** What a metric means, for devices of every type or of one: what is said, else what is guessed. */
export function MeaningDialog({ metric, onClose }: { metric: Metric; onClose: () => void }) {
  const trpc = useTRPC();
  const [type, setType] = useState("");
  const known = useQuery(trpc.devices.vocabulary.queryOptions()).data?.types ?? [];
  const types = [...new Set([...known, ...metric.meanings.map((each) => each.device_type)])].filter(Boolean).sort();
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="md"
      title={metric.name}
      description="What is left empty is guessed by its name."
    >
      <div className="flex flex-col gap-4">
        <Field label="Devices">
          <Select
            options={[
              { value: "", label: `Of ${everyType}` },
              ...types.map((value) => ({ value, label: `Of type ${value}` })),
            ]}
            value={type}
            onValueChange={setType}
          />
        </Field>
        <MeaningForm key={type} metric={metric} type={type} onClose={onClose} />
      </div>
    </Dialog>
  );
}

function MeaningForm({ metric, type, onClose }: { metric: Metric; type: string; onClose: () => void }) {
  const { name, sample, meanings } = metric;
  const refused = usePermissions().refusal({ role: "admin" });
  const saved = meanings.find((each) => each.device_type === type);
  const [draft, setDraft] = useState(() => toDraft(saved));
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const { save, reset } = useSaving(name, type, setProblems, onClose);
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));

  // What holds where nothing is said for these devices, and for the kind that is chosen.
  const others = meanings.filter((each) => each.device_type === "" && type !== "");
  const guess = resolveMeaning(name, others, null, sample);
  const nothing = { device_type: type, label: null, unit: null, rank: null, bounds: null };
  const held = resolveMeaning(name, [...others, { ...nothing, kind: draft.kind ?? guess.kind }], type, sample);
  const kind = draft.kind ?? guess.kind;
  const submit = () => {
    const read = readDraft(draft);
    setProblems(read.problems);
    if (read.said) save.mutate({ name, device_type: type, ...read.said });
  };
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {problems.root && <FormError>{problems.root}</FormError>}
      <Field label="Label" error={problems.label}>
        <Input
          value={draft.label}
          onValueChange={(label) => set({ label })}
          placeholder={held.label}
          maxLength={60}
          autoComplete="off"
        />
      </Field>
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-3">
        <Field label="Kind" error={problems.kind}>
          <Select
            options={[
              { value: "guess", label: `${kindTexts[guess.kind]} (${type === "" ? "guessed" : "as every type"})` },
              ...metricKinds.map((value) => ({ value, label: kindTexts[value] })),
            ]}
            value={draft.kind ?? "guess"}
            onValueChange={(value) => set({ kind: value === "guess" ? null : value })}
          />
        </Field>
        <Field label="Unit" error={problems.unit}>
          <Input
            value={draft.unit}
            onValueChange={(unit) => set({ unit })}
            placeholder={held.unit}
            maxLength={20}
            autoComplete="off"
          />
        </Field>
        <Field label="Rank" hint="The lower, the earlier" error={problems.rank}>
          <Input
            value={draft.rank}
            onValueChange={(rank) => set({ rank })}
            placeholder={String(held.rank)}
            inputMode="numeric"
            autoComplete="off"
          />
        </Field>
      </div>
      {kind !== "state" && (
        <Field label="Good values" group>
          <div className="flex flex-col gap-3">
            <Checkbox
              label="Bounds of one's own"
              hint={draft.bounds ? undefined : (describeBounds(held) ?? "No bounds are guessed.")}
              checked={draft.bounds !== null}
              onCheckedChange={(own) => set({ bounds: own ? boundTexts(held.bounds) : null })}
            />
            {draft.bounds && (
              <BoundFields bounds={draft.bounds} problems={problems} onChange={(bounds) => set({ bounds })} />
            )}
            {kind === "fraction" && draft.bounds && (
              <p className="text-meta text-subtle">As it is sent: 0.2 is 20 %.</p>
            )}
          </div>
        </Field>
      )}
      <div className="flex flex-wrap justify-end gap-2 border-t pt-4">
        {saved && (
          <Button
            className="mr-auto"
            disabledReason={refused}
            busy={reset.isPending}
            onClick={() => reset.mutate({ name, device_type: type })}
          >
            Back to the guess
          </Button>
        )}
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" busy={save.isPending} disabledReason={refused}>
          Save
        </Button>
      </div>
    </form>
  );
}

const boundLabels: Readonly<Record<(typeof boundNames)[number], string>> = {
  warning_min: "Warning below",
  warning_max: "Warning above",
  critical_min: "Critical below",
  critical_max: "Critical above",
};

function BoundFields(props: {
  bounds: NonNullable<Draft["bounds"]>;
  problems: Readonly<Record<string, string>>;
  onChange: (bounds: NonNullable<Draft["bounds"]>) => void;
}) {
  const { bounds, problems, onChange } = props;
  return (
    <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
      {boundNames.map((bound) => (
        <Field key={bound} label={boundLabels[bound]} error={problems[bound]}>
          <Input
            value={bounds[bound]}
            onValueChange={(text) => onChange({ ...bounds, [bound]: text })}
            inputMode="decimal"
            autoComplete="off"
          />
        </Field>
      ))}
    </div>
  );
}

/** Saves a meaning, or goes back to the guess; a refusal names the fields that it is about. */
function useSaving(
  name: string,
  type: string,
  setProblems: (problems: Readonly<Record<string, string>>) => void,
  onSaved: () => void,
) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const whom = type === "" ? everyType : `type ${type}`;
  const done = async (text: string) => {
    await queryClient.invalidateQueries(trpc.health.pathFilter());
    toast.success(text);
    onSaved();
  };
  const save = useMutation(
    trpc.health.saveMeaning.mutationOptions({
      onSuccess: () => done(`Saved ${name} for devices of ${whom}`),
      onError: (error) => {
        const { issues, detail } = readFailure(error);
        setProblems(issues.length > 0 ? messagesByField(issues) : { root: detail });
      },
    }),
  );
  const reset = useMutation(
    trpc.health.resetMeaning.mutationOptions({
      onSuccess: () => done(`${name} is guessed for devices of ${whom}`),
      onError: (error) => toast.failure(error, { title: "The meaning was not changed" }),
    }),
  );
  return { save, reset };
}
