import { startReceiver, type Receiver } from "@/server/testing/receiver";

/** Receives the channel's messages and delays each response, so that the sender can be killed meanwhile. */
export interface AlertReceiver {
  url: string;
  /** How often each alert was reported as triggered, by the alert's uid. */
  triggered: Map<string, number>;
  /** Number of messages without a response yet. */
  unanswered: () => number;
  /** Those, and the ones whose response the sender may not have recorded yet: a kill now may duplicate them. */
  underWay: () => number;
  close: () => Promise<void>;
}

const responseDelayMs = 40;
const notedAfterMs = 500;

export async function startAlertReceiver(): Promise<AlertReceiver> {
  const triggered = new Map<string, number>();
  let [unanswered, underWay] = [0, 0];
  const receiver: Receiver = await startReceiver((received, response) => {
    const message = JSON.parse(received.body) as { event: string; alert: { uid: string } };
    if (message.event === "alert.triggered")
      triggered.set(message.alert.uid, (triggered.get(message.alert.uid) ?? 0) + 1);
    unanswered++;
    underWay++;
    setTimeout(() => underWay--, responseDelayMs + notedAfterMs);
    setTimeout(() => {
      unanswered--;
      response.end("ok");
    }, responseDelayMs);
  });
  return {
    url: receiver.url,
    triggered,
    unanswered: () => unanswered,
    underWay: () => underWay,
    close: () => receiver.close(),
  };
}
