import { sweepBucketTests, testDaily } from "@/server/features/storage-configs/test-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

export const sweepTests = handle(jobs.sweepBucketTests, async () => void (await sweepBucketTests()));
export const testBucket = handle(jobs.testBucket, ({ organizationId, configUid }) =>
  testDaily(organizationId, configUid),
);
