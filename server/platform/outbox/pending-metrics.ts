import { cachedReader, metrics, onScrape, resultInTime } from "@/server/platform/metrics";
import type { OutboxDefinition } from "@/server/platform/outbox/definition";
import { countPending } from "@/server/platform/outbox/queries";

/** Adds what outboxes have to send to the metrics of this process. */
export function observePending(definitions: readonly Pick<OutboxDefinition<never, never>, "name" | "table">[]): void {
  const read = async (): Promise<void> => {
    const counts = await resultInTime(() => countPending(definitions));
    metrics.deliveries.reset();
    metrics.oldestDelivery.reset();
    for (const { name: outbox, pending, oldest_seconds: seconds } of counts ?? []) {
      metrics.deliveries.set({ outbox }, pending);
      metrics.oldestDelivery.set({ outbox }, seconds);
    }
  };
  onScrape("outboxes", cachedReader(read));
}
