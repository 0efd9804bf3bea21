import { setTimeout as sleep } from "node:timers/promises";
import { startProduct, type Product } from "@/bench/product";
import { countStatuses, describeExchange, recordExchanges, type Exchange } from "@/faults/exchanges";
import { makeFleet } from "@/faults/fleet";
import { startLoad } from "@/faults/load";
import { quiet } from "@/faults/quiet";
import { startAlertReceiver } from "@/faults/receiver";
import { makeRecordings } from "@/faults/recordings";
import type { FaultRun } from "@/faults/run";
import { signIn } from "@/faults/sign-in";
import { openStreams, proveStreams, type Streams } from "@/faults/streams";
import { subscribe, type Subscriptions } from "@/faults/subscriptions";
import { findUnreadable, keepLog, promise } from "@/faults/verdict";
import { verify } from "@/faults/verify";
import { verifyWebhooks } from "@/faults/verify-webhooks";
import { verifyVisitors, startVisitors } from "@/faults/visitors";

/** Seconds that a request may take: the 10 s that it may wait for the database, and its own work. */
const maxSeconds = 12;
const beforeMs = 10_000;
const afterMs = 15_000;
const quietLimit = 300;

/** A fault of the database. Resolves, once it is over, to the moments (of `performance.now()`) of its interruptions. */
export type Disturb = (product: Product) => Promise<number[]>;

export interface Outage {
  product: Product;
  exchanges: readonly Exchange[];
}

/**
 * Loads the product by every kind of client while its database fails, then checks every response, and that nothing
 * acknowledged is missing and every event stream delivers. `verifyMore` checks what only this fault concerns.
 */
export async function proveOutage(
  { folder, chance, at }: FaultRun,
  disturb: Disturb,
  verifyMore: (outage: Outage) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const recordings = await makeRecordings(folder, 12);
  const receiver = await startAlertReceiver();
  const product = await startProduct();
  const recorded = recordExchanges(product.url);
  let streams: Streams | undefined;
  let subscriptions: Subscriptions | undefined;
  try {
    const fleet = await makeFleet(product, receiver.url, 4);
    subscriptions = await subscribe(product, 3);
    const cookie = await signIn(product);
    streams = openStreams(product, cookie, 6);
    const load = startLoad(product, fleet, recordings, chance, 500);
    const visitors = startVisitors(product, fleet, cookie, chance);
    await sleep(beforeMs);
    const before = product.pids();
    console.log(`${at()}  the fault begins`);
    const began = performance.now();
    const cuts = await disturb(product);
    const ended = performance.now();
    console.log(`${at()}  the fault is over`);

    await proveStreams(product, streams, "as soon as the database worked again", true);
    await sleep(afterMs);
    await proveStreams(product, streams, "15 s later", false);
    await Promise.all([load.stop(), visitors.stop()]);
    const after = product.pids();
    console.log(`${at()}  the load has stopped: ${load.ledger.uploaded.size} uploads`);

    verifyExchanges(recorded.list, began, ended);
    promise(
      "neither web nor worker ended",
      (["web", "worker"] as const).filter((part) => before[part] !== after[part]).map((part) => `${part} was replaced`),
    );
    promise("all jobs, recordings and messages are finished", await quiet(product, quietLimit));
    promise("no upload was given up, and no request refused", load.ledger.complaints);
    promise("every line of the log is a JSON object", findUnreadable(product.log));
    await verifyVisitors(product, visitors);
    const { ledger } = load;
    await verify({ product, fleet, ledger, receiver, cuts: cuts.length, cutOff: 0 });
    const cutOff = cuts.reduce((sum, moment) => sum + (subscriptions?.cutOffAt(moment) ?? 0), 0);
    await verifyWebhooks({ product, subscriptions, caused: ledger.caused, cutOff });
    await verifyMore({ product, exchanges: recorded.list.filter((exchange) => isWithin(exchange, began, ended)) });
  } finally {
    keepLog(product.log);
    recorded.stop();
    await streams?.close();
    await product.stop();
    await receiver.close();
    await subscriptions?.close();
  }
}

/** Whether any of the exchange's time was between the two moments. */
const isWithin = (exchange: Exchange, from: number, to: number): boolean =>
  exchange.began <= to && exchange.began + exchange.seconds * 1_000 >= from;

/** Checks the responses to all requests, before, during and after the fault. */
function verifyExchanges(list: readonly Exchange[], began: number, ended: number): void {
  const during = list.filter((exchange) => isWithin(exchange, began, ended));
  const isExpected = ({ status, retryAfter, path: at }: Exchange) =>
    (status >= 200 && status < 300) || (status === 308 && at.startsWith("/files/")) || (status === 503 && retryAfter);
  promise(
    `each of ${list.length} requests got its success or a 503 with Retry-After; during the fault ${countStatuses(during)}`,
    list.filter((exchange) => !isExpected(exchange)).map(describeExchange),
  );
  const longest = list.reduce((max, { seconds }) => Math.max(max, seconds), 0);
  promise(
    `each ended within ${maxSeconds} s, the longest after ${longest.toFixed(1)} s`,
    list.filter(({ seconds, ended: isOver }) => !isOver || seconds > maxSeconds).map(describeExchange),
  );
  promise(
    "/healthz was always 200",
    list.filter(({ path: at, status }) => at === "/healthz" && status !== 200).map(describeExchange),
  );
  const refused = list.filter(({ status, began: at }) => status === 503 && at > ended);
  const back = refused.reduce((last, exchange) => Math.max(last, exchange.began + exchange.seconds * 1_000), ended);
  console.log(`       the last 503 was ${((back - ended) / 1_000).toFixed(1)} s after the end of the fault`);
}
