"use client";

import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { useState } from "react";
import { loadPart } from "@/components/kit/part-loading";
import type { Subject } from "@/components/recording/session/panel-type";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import type { Layout } from "@/domain/layouts/tree";
import { readLayoutAddress, suggested, type LayoutAddress } from "./layout-address";
import { toOpening } from "./opening";
import { suggestLayout } from "./suggestion";
import { useJointedRobot, useSubject } from "./use-subject";

/** A layout as it is saved, or as it fits the recording. */
export interface BaseLayout {
  uid: string | null;
  name: string;
  tree: Layout;
  shared: boolean;
  editable: boolean;
}

/** What a page opens with. */
export interface OpenedLayout {
  base: BaseLayout;
  /** The base with the changes that the address holds. */
  layout: Layout;
  address: LayoutAddress;
  /** Whether the address of the page says that already. */
  isInAddress: boolean;
  /** Whether all that the address holds could be read. */
  isWhole: boolean;
}

export const toSuggested = (subject: Subject): BaseLayout => ({
  uid: null,
  name: "Suggested",
  tree: suggestLayout(subject),
  shared: false,
  editable: false,
});

export const toBase = ({ uid, name, tree, shared, editable }: Outputs["layouts"]["get"]): BaseLayout => ({
  uid,
  name,
  tree,
  shared,
  editable,
});

/** The layout a recording opens with; null while it is not known. */
export function useOpenedLayout(): { subject: Subject; opened: OpenedLayout | null; deviceType: string | null } {
  const { recording } = useTimeline();
  const trpc = useTRPC();
  const hasRobot = useJointedRobot(recording);
  // The address is read once: from then on the page leads and the address follows.
  const query = useSearchParams();
  const [address] = useState(() => readLayoutAddress(new URLSearchParams(query)));
  const lanes = useQuery(trpc.recordings.lanes.queryOptions({ uid: recording.uid }));
  const saved = useQuery(trpc.layouts.open.queryOptions(toOpening(recording.uid, address.layout)));
  const subject = useSubject(saved.data?.datum ?? null);
  const [base, setBase] = useState<BaseLayout | null>(null);
  // Failing to load either must not keep the recording from opening.
  if (base === null && !lanes.isPending && !saved.isPending && hasRobot !== undefined) {
    const layout = address.layout === suggested ? null : saved.data?.layout;
    setBase(layout ? toBase(layout) : toSuggested(subject));
  }
  const { changes } = address;
  const isChanged = changes.tree !== null || Object.keys(changes.panels).length > 0;
  const changed = useQuery({
    queryKey: ["layout-of-address", recording.uid, base?.uid, changes],
    queryFn: async () => {
      const { applyChanges } = await loadPart(() => import("./changed-layout"));
      return base && applyChanges(base.tree, changes);
    },
    enabled: isChanged && base !== null,
    staleTime: Infinity,
  });
  const deviceType = saved.data?.device_type ?? null;
  const known = { subject, deviceType };
  if (base === null) return { ...known, opened: null };
  if (!isChanged) return { ...known, opened: { base, layout: base.tree, address, isInAddress: true, isWhole: true } };
  if (changed.error)
    return { ...known, opened: { base, layout: base.tree, address, isInAddress: true, isWhole: false } };
  if (!changed.data) return { ...known, opened: null };
  return { ...known, opened: { base, address, isInAddress: true, ...changed.data } };
}
