"use client";

import { useQuery } from "@tanstack/react-query";
import { DatabaseZap, Tags } from "lucide-react";
import { Suspense, useState, type ReactNode } from "react";
import { Dialog } from "@/components/kit/dialog";
import { lazyPart } from "@/components/kit/lazy-part";
import type { MenuItem } from "@/components/kit/menu";
import { useShortcuts } from "@/components/kit/shortcuts";
import { SkeletonText } from "@/components/kit/skeleton";
import { refuseShortcut, usePermissions } from "@/components/product/permissions";
import { useTRPC } from "@/components/trpc/client";
import { toDefault } from "./add-to-dataset";
import { FirstTask, type LabelSource } from "./label-these";
import { MomentProgress } from "./moment-progress";
import type { MomentTarget, RangeSource } from "./source";
import { useAddMoment, type AddInput } from "./use-add-moment";

const RangePanel = lazyPart(async () => (await import("./range-panel")).default);
const ManyPanel = lazyPart(async () => (await import("./many-panel")).default);
const LabelPanel = lazyPart(async () => (await import("./label-panel")).default);

interface MomentStepsOptions {
  /** What is added of a single moment, chosen on a timeline; without it the moments as a whole. */
  range?: RangeSource | null;
  /** Whether the key `d` is for these moments. */
  keyed?: boolean;
}

/**
 * Adding moments to a dataset and labelling them as items of a menu, where other steps come first; `parts` are their
 * dialogs and how far they are. Without a source there are none.
 */
export function useMomentSteps(
  source: LabelSource | null,
  name: string,
  { range = null, keyed = true }: MomentStepsOptions = {},
): { items: MenuItem[]; parts: ReactNode } {
  const trpc = useTRPC();
  const reason = usePermissions().refusal();
  const [shown, setShown] = useState<{ panel: "add" | "label"; source: LabelSource; range: RangeSource | null } | null>(
    null,
  );
  const [labelled, setLabelled] = useState<{ of: LabelSource["of"]; project: string; added: string | null } | null>(
    null,
  );
  const { busy, added, add } = useAddMoment();
  const last = useQuery({
    ...trpc.moments.targets.queryOptions({ search: "" }),
    staleTime: 60_000,
    enabled: source !== null,
  }).data?.find(({ used }) => used);
  const show = (panel: "add" | "label") => () => source && setShown({ panel, source, range });
  const shortcut = { keys: "d", label: "Add to dataset", group: "Training data", run: show("add") };
  useShortcuts(source && keyed ? [refuseShortcut(shortcut, reason)] : []);
  const close = () => setShown(null);
  const send = async (target: MomentTarget, what: AddInput) => {
    if ((await add(target, what)) !== undefined) close();
  };
  const items: MenuItem[] = source
    ? [
        ...(last
          ? [
              {
                label: `Add to ${last.name}`,
                icon: <DatabaseZap aria-hidden />,
                disabledReason: reason,
                onSelect: () => void add(last, toDefault(range ?? source)),
              },
            ]
          : []),
        {
          label: last ? "Add to another dataset" : "Add to dataset",
          icon: <DatabaseZap aria-hidden />,
          keys: "d",
          disabledReason: reason,
          onSelect: show("add"),
        },
        { label: "Label these", icon: <Tags aria-hidden />, disabledReason: reason, onSelect: show("label") },
      ]
    : [];
  const parts = (
    <>
      {added !== null && <MomentProgress uid={added} />}
      {labelled && <FirstTask {...labelled} />}
      <Dialog
        size="sm"
        open={shown !== null}
        onOpenChange={(open) => !open && close()}
        title={shown?.panel === "label" ? "Label these" : "Add to dataset"}
      >
        <Suspense fallback={<SkeletonText lines={8} />}>
          {shown?.panel === "add" && shown.range && <RangePanel source={shown.range} busy={busy} onAdd={send} />}
          {shown?.panel === "add" && !shown.range && <ManyPanel source={shown.source} busy={busy} onAdd={send} />}
          {shown?.panel === "label" && (
            <LabelPanel
              source={shown.source}
              name={name}
              onDone={(project, addition) => {
                setLabelled({ of: shown.source.of, project, added: addition });
                close();
              }}
            />
          )}
        </Suspense>
      </Dialog>
    </>
  );
  return { items, parts };
}
