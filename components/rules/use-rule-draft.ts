"use client";

import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { readDraft, removeDraft, writeDraft } from "@/components/kit/draft-storage";
import { useLatest } from "@/components/kit/latest";
import { useLeaveGuard } from "@/components/kit/leaving";
import { toast } from "@/components/product/toast";
import { isConditionDraft } from "./conditions/condition-draft";
import type { RuleDraft } from "./draft";

interface KeptDraft {
  draft: RuleDraft;
  /** The version of the rule it was written on. */
  version: number | null;
}

const isKept = (value: unknown): value is KeptDraft =>
  typeof value === "object" &&
  value !== null &&
  "draft" in value &&
  typeof value.draft === "object" &&
  value.draft !== null &&
  "condition" in value.draft &&
  isConditionDraft(value.draft.condition) &&
  "actions" in value.draft &&
  Array.isArray(value.draft.actions);

/**
 * A rule while it is written. What is not saved is kept in the tab, so that Back, a reload and a lost server lose
 * nothing; links, shortcuts and the palette ask first.
 */
export function useRuleDraft(start: RuleDraft, saved: { uid: string; version: number } | undefined) {
  const router = useRouter();
  const pathname = usePathname();
  const search = useSearchParams().toString();
  const address = search ? `${pathname}?${search}` : pathname;
  const key = saved ? saved.uid : address;
  const [draft, setDraft] = useState(start);
  const [restored, setRestored] = useState<{ at: number; version: number | null } | null>(null);
  const [leaving, setLeaving] = useState<(() => void) | null>(null);
  // Saved or discarded: there is nothing to keep. Left on purpose: there is, but nobody needs to be asked or reminded.
  const ended = useRef(false);
  const agreed = useRef(false);
  const changed = JSON.stringify(draft) !== JSON.stringify(start);
  const wasChanged = useRef(false);

  const restore = useLatest(() => {
    const stored = readDraft(key);
    if (stored === null || !isKept(stored.value)) return;
    // One of a version before lacks what rules have since.
    const kept = { ...start, ...stored.value.draft };
    if (JSON.stringify(kept) === JSON.stringify(start)) return removeDraft(key);
    setDraft(kept);
    setRestored({ at: stored.at, version: stored.value.version });
  });
  useEffect(() => restore(), [restore]);

  useEffect(() => {
    if (changed && !ended.current) writeDraft(key, { draft, version: saved?.version ?? null } satisfies KeptDraft);
    else if (wasChanged.current) removeDraft(key);
    wasChanged.current = changed;
    agreed.current = false;
  }, [changed, draft, key, saved?.version]);

  useEffect(() => {
    if (!changed) return;
    const onLeave = (event: BeforeUnloadEvent) => {
      if (!ended.current && !agreed.current) event.preventDefault();
    };
    window.addEventListener("beforeunload", onLeave);
    return () => window.removeEventListener("beforeunload", onLeave);
  }, [changed]);
  useLeaveGuard(changed, (go) => {
    if (ended.current) go();
    else setLeaving(() => go);
  });

  // By Back nobody can be asked, so the way to return is offered instead.
  const remind = useLatest(() => {
    if (!changed || ended.current || agreed.current) return;
    toast.success("Your unsaved rule is kept", {
      description: "Until it is saved or this tab is closed.",
      action: { label: "Go on editing", onClick: () => router.push(address) },
    });
  });
  useEffect(() => () => remind(), [remind]);

  const done = () => {
    ended.current = true;
    removeDraft(key);
  };
  return {
    draft,
    setDraft,
    changed,
    done,
    /** The draft that this visit began with, if one was kept: when, and on which version. */
    restored,
    discard: () => {
      removeDraft(key);
      setDraft(start);
      setRestored(null);
    },
    /** The question before leaving; null while nobody leaves. */
    leaving: leaving && {
      stay: () => setLeaving(null),
      go: () => {
        agreed.current = true;
        setLeaving(null);
        leaving();
      },
      discard: () => {
        done();
        setLeaving(null);
        leaving();
      },
    },
  };
}
