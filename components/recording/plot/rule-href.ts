import { formatPath } from "@/components/recording/session/topic-path";

/** The address of the rule builder with a threshold taken from a plot. */
export function ruleHref(
  recording: { uid: string; device_id: string },
  path: { topic: string; field: string },
  value: number,
): string {
  const query = new URLSearchParams({
    condition: JSON.stringify({ type: "threshold", ...path, operator: "gt", value }),
    name: `${formatPath(path)} above ${value}`,
    recording: recording.uid,
    scope: JSON.stringify({ device_ids: [recording.device_id] }),
  });
  return `/rules/new?${query.toString()}`;
}
