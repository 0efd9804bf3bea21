import { hasS3Server, installS3Server, startS3Server } from "@/scripts/s3-server.mjs";
import { s3Client } from "@/server/platform/storage/s3-client";

export interface Bucket {
  /** The settings of an installation whose store it is. */
  environment: Record<string, string>;
  close: () => Promise<void>;
}

/** Starts an S3 server with an empty bucket; installs it from Debian when it is not there. */
export async function startBucket(): Promise<Bucket> {
  if (!hasS3Server()) {
    console.log("Installing OpenStack Swift from Debian");
    installS3Server();
  }
  const server = await startS3Server();
  const { endpoint, region, accessKeyId, secretAccessKey } = server;
  const bucket = "faults";
  const keys = { accessKeyId, secretAccessKey };
  const target = { bucket, prefix: null, region, endpointUrl: endpoint, accelerated: false, keys };
  const { CreateBucketCommand } = await import("@aws-sdk/client-s3");
  await (await s3Client({ ...target, trusted: true })).send(new CreateBucketCommand({ Bucket: bucket }));
  return {
    environment: {
      STORAGE: `s3://${bucket}/muster`,
      S3_ENDPOINT: endpoint,
      S3_REGION: region,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
    },
    close: () => server.close(),
  };
}
