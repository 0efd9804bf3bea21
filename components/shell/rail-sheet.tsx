"use client";

import { Dialog } from "@base-ui/react/dialog";
import { MenuIcon, X } from "lucide-react";
import { useState, type ReactNode } from "react";
import { IconButton } from "@/components/kit/icon-button";
import { Mark } from "./mark";
import { RailNavigation } from "./rail";

interface RailSheetProps {
  badges?: Readonly<Record<string, ReactNode>>;
  /** Above the links. */
  choice?: ReactNode;
}

/** On phones: the rail as a sheet from the left, behind a button in the top bar. */
export function RailSheet({ badges, choice }: RailSheetProps) {
  const [open, setOpen] = useState(false);
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger
        render={<IconButton label="Open navigation" icon={<MenuIcon aria-hidden />} className="-ml-2 md:hidden" />}
      />
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-scrim transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Dialog.Popup className="fixed inset-y-0 left-0 z-40 flex w-70 max-w-[85vw] flex-col bg-background shadow-float outline-none transition-[opacity,translate] data-ending-style:-translate-x-2 data-ending-style:opacity-0 data-starting-style:-translate-x-2 data-starting-style:opacity-0">
          <div className="flex h-12 items-center gap-2.5 border-b px-4">
            <Mark />
            <Dialog.Title className="flex-1 text-body font-semibold">Muster</Dialog.Title>
            <Dialog.Close render={<IconButton label="Close navigation" icon={<X aria-hidden />} className="-mr-2" />} />
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto">
            {choice && <div className="flex px-3 pt-3">{choice}</div>}
            <RailNavigation badges={badges} onNavigate={() => setOpen(false)} />
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
