"use client";

import { CircleAlert, CircleCheck } from "lucide-react";
import { useEffect } from "react";
import { Toaster as SonnerToaster } from "sonner";
import { useMediaQuery, useNarrow } from "./media-query";
import { usePreference, useTheme } from "./preferences-provider";

function Mounted({ onMounted }: { onMounted: () => void }) {
  useEffect(onMounted, [onMounted]);
  return null;
}

/**
 * The place where toasts appear; fetched with the first of them. `onMounted` is called once it is ready. The buttons of
 * drawers and dialogs are at the right or at the bottom, so toasts are beside the rail, above the foot of a list, and
 * at the top of phones, always below what is modal.
 */
export default function ToastPlace({ onMounted }: { onMounted: () => void }) {
  const [theme] = useTheme();
  const [rail] = usePreference("rail", "open");
  const narrow = useNarrow();
  const withoutRail = useMediaQuery("(max-width: 767.98px)");
  const left = withoutRail ? 16 : rail === "collapsed" ? 56 + 16 : 216 + 16;
  return (
    <>
      <SonnerToaster
        theme={theme}
        className="z-35! font-sans!"
        position={narrow ? "top-center" : "bottom-left"}
        expand
        gap={8}
        offset={{ top: 56, bottom: 48, left }}
        mobileOffset={{ top: 56, left: 12, right: 12 }}
        icons={{
          success: <CircleCheck aria-hidden className="size-4 text-online" />,
          error: <CircleAlert aria-hidden className="size-4 text-critical" />,
        }}
        toastOptions={{
          unstyled: true,
          classNames: {
            toast:
              "flex w-full items-start gap-2.5 rounded-panel bg-raised p-3 text-table text-foreground shadow-float sm:w-90",
            icon: "mt-0.5 shrink-0",
            content: "min-w-0 flex-1",
            title: "font-medium break-words",
            description: "mt-0.5 text-meta text-muted break-words",
            actionButton:
              "order-last shrink-0 rounded-control px-2 py-0.5 font-medium text-accent-text hover:bg-hover whitespace-nowrap",
          },
        }}
      />
      {/* After the place itself, so that its effect comes later. */}
      <Mounted onMounted={onMounted} />
    </>
  );
}
