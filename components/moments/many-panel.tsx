"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Checkbox } from "@/components/kit/checkbox";
import { Field } from "@/components/kit/field";
import { Select } from "@/components/kit/select";
import { ErrorState } from "@/components/product/error-state";
import { useTRPCClient } from "@/components/trpc/client";
import { frameKinds, type FrameKind } from "@/domain/moments/schema";
import { PanelForm, usePanelChoice } from "./panel-form";
import { describeMany, toRateInput, type ManySource, type MomentTarget, type RateChoice } from "./source";
import type { AddInput } from "./use-add-moment";

const kindLabels: Readonly<Record<FrameKind, string>> = { image: "Pictures of all cameras", points: "Point clouds" };
const margins = ["1", "5", "30"] as const;

/** Chooses what of many moments goes to which dataset. */
export default function ManyPanel(props: {
  source: ManySource;
  busy: boolean;
  onAdd: (target: MomentTarget, what: AddInput) => Promise<void>;
}) {
  const { source, busy, onAdd } = props;
  const client = useTRPCClient();
  const choice = usePanelChoice();
  const whole = "recordings" in source.of;
  const [kinds, setKinds] = useState<readonly FrameKind[]>(["image"]);
  const [clip, setClip] = useState(false);
  const [rate, setRate] = useState<RateChoice>(whole ? "1" : "first");
  const [margin, setMargin] = useState<(typeof margins)[number]>("1");
  const [note, setNote] = useState("");
  const after = Number(margin) * 1_000;
  const input = {
    ...source.of,
    ...toRateInput(rate),
    kinds: [...kinds],
    clip,
    // The first frame is that of the moment itself.
    before_ms: rate === "first" ? 0 : after,
    after_ms: after,
  };
  const query = useQuery({
    queryKey: ["moments.previewMany", input, choice.dataset],
    queryFn: () => client.moments.previewMany.mutate({ ...input, dataset: choice.dataset }),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const preview = query.data;
  return (
    <PanelForm
      choice={choice}
      dataType={kinds.length === 0 ? "mcap" : kinds.includes("image") ? "image" : "lidar"}
      rate={rate}
      setRate={setRate}
      note={note}
      setNote={setNote}
      busy={busy}
      ready={preview !== undefined && preview.refused === null && preview.frames > 0}
      line={preview ? describeMany(preview, { kinds, clip }) : query.error ? "" : "Counting…"}
      onAdd={(target) => onAdd(target, { kind: "many", input: { ...input, note } })}
    >
      <Field label={`What of ${source.label}`} group>
        <div className="flex flex-col gap-1.5">
          {frameKinds.map((kind) => (
            <Checkbox
              key={kind}
              label={kindLabels[kind]}
              checked={kinds.includes(kind)}
              onCheckedChange={(on) =>
                setKinds(frameKinds.filter((each) => (each === kind ? on : kinds.includes(each))))
              }
            />
          ))}
          <Checkbox
            label="The clip as MCAP"
            hint="All topics, in one file each"
            checked={clip}
            onCheckedChange={setClip}
          />
        </div>
      </Field>
      {!whole && (
        <Field label={rate === "first" ? "The first frame within" : "Before and after"}>
          <Select
            value={margin}
            onValueChange={setMargin}
            options={margins.map((value) => ({ value, label: `${value} s` }))}
          />
        </Field>
      )}
      {query.error && !preview && (
        <ErrorState
          error={query.error}
          title="This could not be counted"
          onRetry={() => void query.refetch()}
          className="py-2"
        />
      )}
    </PanelForm>
  );
}
