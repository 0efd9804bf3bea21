"use client";

import { useState, type ReactNode } from "react";
import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import { RadioGroup } from "@/components/kit/radio-group";
import { toast } from "@/components/product/toast";
import { useTRPCClient, type Inputs } from "@/components/trpc/client";
import { DatasetChoice, useDatasetChoice } from "./dataset-choice";
import { keepRate } from "./last-rate";
import { PanelFoot } from "./panel-foot";
import { rateLabels, rates, type MomentTarget, type RateChoice } from "./source";

/** What a panel knows of where its items go. */
export function usePanelChoice() {
  const [search, setSearch] = useState("");
  const [picked, setPicked] = useState<MomentTarget | "new" | null>(null);
  const offer = useDatasetChoice(search, picked);
  const { choice } = offer;
  return {
    search,
    setSearch: (next: string) => {
      setSearch(next);
      setPicked(null);
    },
    pick: setPicked,
    offer,
    /** Its uid; undefined for a new one. */
    dataset: choice !== null && "target" in choice ? choice.target.uid : undefined,
  };
}

/** The form of a panel: a dataset, what is chosen, a rate, a note, and a line that says what Enter adds. */
export function PanelForm(props: {
  choice: ReturnType<typeof usePanelChoice>;
  dataType: Inputs["moments"]["createTarget"]["data_type"];
  rate: RateChoice;
  setRate: (rate: RateChoice) => void;
  note: string;
  setNote: (note: string) => void;
  /** What is added, under the dataset. */
  children: ReactNode;
  line: ReactNode;
  ready: boolean;
  busy: boolean;
  onAdd: (target: MomentTarget) => Promise<void>;
}) {
  const { choice, dataType, rate, setRate, note, setNote, children, line, ready, busy, onAdd } = props;
  const client = useTRPCClient();
  const [creating, setCreating] = useState(false);
  const to = choice.offer.choice;
  const isReady = ready && to !== null && !busy && !creating;
  const submit = async () => {
    if (!isReady) return;
    keepRate(rate);
    if ("target" in to) return onAdd(to.target);
    setCreating(true);
    try {
      await onAdd(await client.moments.createTarget.mutate({ name: to.name, data_type: dataType }));
    } catch (error) {
      toast.failure(error, { title: "The dataset was not created" });
    } finally {
      setCreating(false);
    }
  };
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <DatasetChoice {...choice} />
      {children}
      <Field label="Every" group>
        <RadioGroup
          layout="segments"
          aria-label="Every"
          value={rate}
          onValueChange={setRate}
          options={rates.map((value) => ({ value, label: rateLabels[value] }))}
        />
      </Field>
      <Field label="Note" optional>
        <Input value={note} onValueChange={setNote} autoComplete="off" />
      </Field>
      <PanelFoot line={line} busy={busy || creating} ready={isReady}>
        Add
      </PanelFoot>
    </form>
  );
}
