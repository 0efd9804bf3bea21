"use client";

import { SlidersHorizontal } from "lucide-react";
import { Suspense } from "react";
import { IconButton } from "@/components/kit/icon-button";
import { lazyPart } from "@/components/kit/lazy-part";
import { Popover } from "@/components/kit/popover";
import { SkeletonText } from "@/components/kit/skeleton";
import type { PictureSettingsFormProps } from "./picture-settings-form";

const Form = lazyPart(async () => (await import("./picture-settings-form")).PictureSettingsForm);

/** How a panel shows its pictures; its form is loaded when it is opened. */
export function PictureSettings({ topic, ...form }: PictureSettingsFormProps & { topic: string }) {
  return (
    <Popover
      title={`Settings of ${topic}`}
      className="w-72"
      trigger={
        <IconButton
          label={`Settings of ${topic}`}
          size="sm"
          className="size-6 @max-[5rem]/panel:hidden"
          icon={<SlidersHorizontal aria-hidden />}
        />
      }
    >
      <Suspense fallback={<SkeletonText lines={4} />}>
        <Form {...form} />
      </Suspense>
    </Popover>
  );
}
