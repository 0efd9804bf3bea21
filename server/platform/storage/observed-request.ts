import { metrics } from "@/server/platform/metrics";

/** What a request to a bucket does. */
export type BucketOperation = "read" | "look" | "list" | "write" | "parts" | "delete" | "sign in";

/** A status that says what is there, or why not, and not that the bucket may not or cannot be used. */
const isAnswer = (status: number): boolean => status < 400 || [404, 412, 416].includes(status);

const toOutcome = (status: number) =>
  isAnswer(status) ? "succeeded" : status < 500 && status !== 429 ? "refused" : "failed";

/** Sends a request to a bucket, the installation's `own` or a customer's, and measures the time until it responds. */
export async function observeBucketRequest<R extends { status: number }>(
  labels: { store: "own" | "customer"; operation: BucketOperation },
  send: () => Promise<R>,
): Promise<R> {
  const began = performance.now();
  let outcome: ReturnType<typeof toOutcome> = "failed";
  try {
    const response = await send();
    outcome = toOutcome(response.status);
    return response;
  } finally {
    metrics.bucketDuration.observe({ ...labels, outcome }, (performance.now() - began) / 1_000);
  }
}
