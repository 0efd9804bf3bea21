"use client";

import { useState } from "react";
import { Skeleton } from "@/components/kit/skeleton";
import { noChanges } from "./layout-changes";
import { LayoutEditor } from "./layout-editor";
import { useOpenedLayout, type BaseLayout, type OpenedLayout } from "./use-opened-layout";

/** The panels of a recording, above its lanes. */
export function LayoutArea() {
  const { subject, opened: first, deviceType } = useOpenedLayout();
  const [later, setLater] = useState<OpenedLayout | null>(null);
  const [saved, setSaved] = useState<BaseLayout | null>(null);
  const [round, setRound] = useState(0);
  const opened = later ?? first;
  if (opened === null) {
    return (
      <div className="h-[40vh] shrink-0 border-b p-2" aria-busy>
        <Skeleton className="h-full" />
      </div>
    );
  }
  const open = (base: BaseLayout) => {
    const address = { layout: base.uid, full: null, changes: noChanges };
    setLater({ base, layout: base.tree, address, isInAddress: false, isWhole: true });
    setSaved(null);
    setRound(round + 1);
  };
  return (
    <LayoutEditor
      key={round}
      subject={subject}
      opened={opened}
      base={saved ?? opened.base}
      deviceType={deviceType}
      onSaved={setSaved}
      onOpen={open}
    />
  );
}
