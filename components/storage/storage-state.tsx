"use client";

import { RelativeTime } from "@/components/kit/time";
import { Status } from "@/components/product/status";
import { checkTexts } from "./labels";
import { type Bucket, firstFailure } from "./query";

/** Whether a bucket works, by its last test: when, or what failed first. */
export function StorageState({ bucket }: { bucket: Bucket }) {
  const failure = firstFailure(bucket);
  const at = bucket.last?.at ?? bucket.last_verified_at;
  const when = at !== null && (
    <>
      , <RelativeTime value={at} rich={false} />
    </>
  );
  if (failure) {
    const label = checkTexts[failure.name].label;
    return (
      <span className="flex min-w-0" title={failure.message ?? undefined}>
        <Status tone={bucket.is_verified ? "warning" : "error"}>
          {label} fails{when}
        </Status>
      </span>
    );
  }
  if (!bucket.is_verified) return <Status tone="warning">Not verified</Status>;
  return <Status tone="online">Works{when}</Status>;
}
