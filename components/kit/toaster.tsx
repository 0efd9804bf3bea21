"use client";

import { CircleAlert, CircleCheck } from "lucide-react";
import { useEffect } from "react";
import { Toaster as SonnerToaster } from "sonner";
import { useTheme } from "./preferences-provider";

function Mounted({ onMounted }: { onMounted: () => void }) {
  useEffect(onMounted, [onMounted]);
  return null;
}

/** The place where toasts appear; fetched with the first of them. `onMounted` is called once it is ready. */
export default function ToastPlace({ onMounted }: { onMounted: () => void }) {
  const [theme] = useTheme();
  return (
    <>
      <SonnerToaster
        theme={theme}
        className="font-sans!"
        position="bottom-right"
        expand
        gap={8}
        offset={16}
        mobileOffset={12}
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
