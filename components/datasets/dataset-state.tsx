import { formatNumber } from "@/components/kit/format";
import { Status } from "@/components/product/status";
import { datasetLooks } from "./labels";
import type { Dataset } from "./query";

/** Whether its files are read: how far, or why not. Nothing for a dataset that is ready. */
export function DatasetState({ of }: { of: Dataset }) {
  if (of.status === "created") return null;
  const { label, tone, shape } = datasetLooks[of.status];
  const text =
    of.status === "creating" && of.pending !== null && of.pending > 0
      ? `Read ${formatNumber(of.item_count - of.pending, 0)} of ${formatNumber(of.item_count, 0)}`
      : of.failure === null
        ? label
        : `${label}: ${of.failure}`;
  return (
    <Status tone={tone} shape={shape}>
      {text}
    </Status>
  );
}
