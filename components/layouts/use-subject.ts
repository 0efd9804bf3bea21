"use client";

import { useMemo } from "react";
import { useTimeline } from "@/components/timeline/timeline-context";
import type { Subject } from "./panel-type";

/** What the recording of the page offers to panels. */
export function useSubject(): Subject {
  const { recording, lanes, topic, findings } = useTimeline();
  return useMemo(() => {
    const rules = lanes?.rules ?? [];
    const named = new Map<string, number>();
    const name = (topic: string | null) => topic !== null && named.set(topic, (named.get(topic) ?? 0) + 1);
    for (const rule of rules)
      for (const each of new Set([rule.topic, ...rule.fields.map((field) => field.topic)])) name(each);
    name(topic);
    return {
      topics: recording.topics,
      named,
      fields: findings,
      isNotable: rules.length > 0 || (lanes?.alerts.length ?? 0) > 0,
    };
  }, [recording.topics, lanes, topic, findings]);
}
