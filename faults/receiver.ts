import { startReceiver, type Receiver } from "@/server/testing/receiver";

/** The other end of the channel: answers after a moment, so that there is a moment in which its sender can die. */
export interface AlertReceiver {
  url: string;
  /** How often each alert was reported as triggered, by the alert's uid. */
  triggered: Map<string, number>;
  /** Messages that have come and are not answered yet. */
  unanswered: () => number;
  /** Those, and the ones answered so lately that their sender may not have noted it: what a kill now may send again. */
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
