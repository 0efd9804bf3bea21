import type { Inputs, Outputs } from "@/components/trpc/client";

/** A row of the recording list. */
export type RecordingRow = Outputs["recordings"]["overview"]["results"][number];

const filterKeys = ["device_id", "status", "tags", "has_event", "has_topic", "since", "until", "search"] as const;

/** Rows fetched at once. */
const pageSize = 100;

/** The list's query for what stands in the address; the server's prefetch and the browser must ask the very same. */
export function listInput(
  values: Readonly<Record<string, string | string[] | null | undefined>>,
): Inputs["recordings"]["overview"] {
  const input: Record<string, string> = {};
  for (const key of filterKeys) {
    const value = values[key];
    const text = Array.isArray(value) ? value[0] : value;
    if (text) input[key] = text;
  }
  return { ...input, limit: pageSize };
}

/** The cursor of the page after this one. */
export const nextPage = (page: { next: string | null }): string | undefined => page.next ?? undefined;

/** What a recording is called: its own name, else its device's and when it began. */
export const recordingTitle = ({
  name,
  device_name,
  started_at,
}: Pick<RecordingRow, "name" | "device_name" | "started_at">): string =>
  name || `${device_name} ${started_at.slice(0, 16).replace("T", " ")} UTC`;
