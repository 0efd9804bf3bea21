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
import { FirstTask, type LabelSource } from "./label-these";
import { MomentProgress } from "./moment-progress";
import { toRateInput, type MomentTarget } from "./source";
import { useAddMoment, type AddInput } from "./use-add-moment";

const ManyPanel = lazyPart(async () => (await import("./many-panel")).default);
const LabelPanel = lazyPart(async () => (await import("./label-panel")).default);

/**
 * Adding moments to a dataset and labelling them as items of a menu, where other steps come first; `parts` are their
 * dialogs and how far they are. Without a source there are none.
 */
export function useMomentSteps(source: LabelSource | null, name: string): { items: MenuItem[]; parts: ReactNode } {
  const trpc = useTRPC();
  const reason = usePermissions().refusal();
  const [shown, setShown] = useState<{ panel: "add" | "label"; source: LabelSource } | null>(null);
  const [labelled, setLabelled] = useState<{ of: LabelSource["of"]; project: string; added: string | null } | null>(
    null,
  );
  const { busy, added, add } = useAddMoment();
  const last = useQuery({
    ...trpc.moments.targets.queryOptions({ search: "" }),
    staleTime: 60_000,
    enabled: source !== null,
  }).data?.find(({ used }) => used);
  const show = (panel: "add" | "label") => () => source && setShown({ panel, source });
  const shortcut = { keys: "d", label: "Add to dataset", group: "Training data", run: show("add") };
  useShortcuts(source ? [refuseShortcut(shortcut, reason)] : []);
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
                onSelect: () => void add(last, { kind: "many", input: { ...source.of, ...toRateInput("first") } }),
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
          {shown?.panel === "add" && <ManyPanel source={shown.source} busy={busy} onAdd={send} />}
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
