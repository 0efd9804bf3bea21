"use client";

import { KeyValue } from "@/components/kit/key-value";
import { InstantTime } from "@/components/kit/time";
import { UidChip } from "@/components/product/uid-chip";
import { providerLabels } from "./labels";
import { bucketPath, type Bucket } from "./query";

/** Where a bucket is. Credentials are never shown. */
export function StorageFacts({ bucket }: { bucket: Bucket }) {
  const mono = (text: string) => <span className="font-mono text-meta break-all">{text}</span>;
  return (
    <KeyValue
      items={[
        ["Provider", bucket.s3_endpoint_url ? "S3-compatible" : providerLabels[bucket.provider]],
        ["Bucket", mono(bucketPath(bucket))],
        ...(bucket.provider === "aws_s3" ? [["Region", bucket.s3_bucket_region] as const] : []),
        ...(bucket.s3_endpoint_url ? [["Endpoint", mono(bucket.s3_endpoint_url)] as const] : []),
        ...(bucket.s3_is_accelerated ? [["Transfer acceleration", "On"] as const] : []),
        ["Connected", <InstantTime key="connected" value={bucket.created_at} precision="minute" />],
        ["Uid", <UidChip key="uid" uid={bucket.uid} max={24} />],
      ]}
    />
  );
}
