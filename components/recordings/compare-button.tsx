"use client";

import { GitCompareArrows } from "lucide-react";
import { useRouter } from "next/navigation";
import { Button } from "@/components/kit/button";
import { useShortcuts } from "@/components/kit/shortcuts";
import { compareHref } from "@/components/product/recording-links";
import { toast } from "@/components/product/toast";
import type { RecordingRow } from "./query";

const needed = "Select two recordings to compare them.";

/** Compares the two recordings that are selected, the earlier one first; also by a key. */
export function CompareButton({ recordings }: { recordings: readonly RecordingRow[] }) {
  const router = useRouter();
  const [a, b] = recordings.toSorted((one, other) => one.started_at.localeCompare(other.started_at));
  const reason = a && b && recordings.length === 2 ? undefined : needed;
  const compare = () => {
    if (reason === undefined && a && b) router.push(compareHref(a.uid, b.uid));
    else toast.failure(needed);
  };
  useShortcuts([{ keys: "c", label: "Compare the two selected recordings", group: "List", run: compare }]);
  return (
    <Button icon={<GitCompareArrows aria-hidden />} disabledReason={reason} onClick={compare}>
      Compare
    </Button>
  );
}
