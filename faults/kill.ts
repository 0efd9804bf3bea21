import { setTimeout as sleep } from "node:timers/promises";
import { until, type Product } from "@/bench/product";
import type { Load } from "@/faults/load";
import type { Chance } from "@/faults/random";
import type { AlertReceiver } from "@/faults/receiver";
import type { Subscriptions } from "@/faults/subscriptions";
import { jobs } from "@/server/platform/jobs/definitions";
import { queueJobs } from "@/server/platform/jobs/graphile";
import { int2, queryRows, text, type Wire } from "@/server/platform/rows";

const moments = ["upload", "events", "processing", "notification"] as const;
type Moment = (typeof moments)[number];
export type Part = "web" | "worker" | "database";
export interface Kill {
  part: Part;
  moment: Moment;
}

export interface Scene {
  product: Product;
  load: Load;
  receiver: AlertReceiver;
  subscriptions: Subscriptions;
  chance: Chance;
}

/** Plans `workers` kills of the worker at all moments, some kills of web between them, and one of the database. */
export function planKills(workers: number, chance: Chance): Kill[] {
  const times = (part: Part, count: number, first: Moment[]): Kill[] => {
    const order = [...first];
    while (order.length < count) order.push(...chance.shuffled(moments));
    return order.slice(0, count).map((moment) => ({ part, moment }));
  };
  const plan = chance.shuffled([
    ...times("worker", workers, ["notification", "processing"]),
    ...times("web", Math.ceil(workers * 0.4), ["upload"]),
  ]);
  plan.splice(Math.floor(plan.length / 2), 0, { part: "database", moment: "processing" });
  // Web last, so that leases of killed workers expire while the load still runs.
  const last = plan.findLastIndex(({ part }) => part === "web");
  return [...plan.filter((_, at) => at !== last), ...plan.slice(last, last + 1)];
}

const isServed = async ({ url }: Product) => (await fetch(`${url}/readyz`)).status === 200;

const heldJobRow = { id: text, attempts: int2 };
type HeldJob = Wire<typeof heldJobRow>;

const heldJobs = ({ database }: Product): Promise<HeldJob[]> =>
  queryRows(
    database,
    heldJobRow,
    `select j.id::text, j.attempts from ${queueJobs} j where j.task = any($1) and j.locked_by is not null`,
    [[jobs.processRecording.name, jobs.processSmallRecording.name]],
  );

async function isHappening({ product, load, receiver }: Scene, moment: Moment): Promise<boolean> {
  if (moment === "upload") return load.sending().files > 0;
  if (moment === "events") return load.sending().events > 0;
  if (moment === "notification") return receiver.unanswered() > 0;
  return (await heldJobs(product)).length > 0;
}

export interface Killed {
  /** Seconds until all parts of the product ran again. */
  backSeconds: number;
  /** Seconds until each job of a killed worker ran again. */
  retaken: number[];
  /** Messages to channels whose sender died, or could not record their outcome. */
  cutOff: number;
  /** The same for deliveries to webhooks: those without a response yet, and all that the kill may have cut off. */
  deliveries: { unanswered: number; cutOff: number };
}

/** Kills a part at the given moment. Resolves once all parts are up again. */
export async function perform(scene: Scene, { part, moment }: Kill): Promise<Killed> {
  const { product, chance, subscriptions } = scene;
  // The worker sends deliveries and records their outcome in the database.
  const cutsDeliveries = part !== "web";
  const isComplete = async () => {
    const { web, worker, database } = product.pids();
    return web !== null && worker !== null && database !== null && (await isServed(product));
  };
  await until("the start of all parts", 180, isComplete);
  await sleep(chance.between(200, 900));
  // If the moment does not occur, for example because the queue is empty, kill anyway.
  const isMoment = async () =>
    (await isHappening(scene, moment)) && !(cutsDeliveries && subscriptions.unanswered() === 0);
  for (const end = performance.now() + 8_000; performance.now() < end && !(await isMoment());) await sleep(2);
  await sleep(chance.between(0, moment === "notification" ? 20 : 8));

  const pid = product.pids()[part];
  if (pid === null) throw new Error(`there is no ${part} to kill`);
  for (
    const end = performance.now() + 60_000;
    cutsDeliveries && performance.now() < end && subscriptions.unanswered() === 0;
  )
    await sleep(5);
  process.kill(pid, "SIGKILL");
  const killedAt = performance.now();
  const cutOff = cutsDeliveries ? scene.receiver.underWay() : 0;
  const unanswered = cutsDeliveries ? subscriptions.unanswered() : 0;
  const seconds = () => (performance.now() - killedAt) / 1_000;
  const retaken =
    part === "worker"
      ? await Promise.all((await heldJobs(product)).map((job) => untilRetaken(product, job, seconds)))
      : [];
  await until(`the ${part}'s return`, 240, async () => {
    const now = product.pids()[part];
    return now !== null && now !== pid && (await isComplete());
  });
  const backSeconds = seconds();
  await sleep(Math.max(0, 1_000 - 1_000 * backSeconds));
  return {
    backSeconds,
    retaken,
    cutOff,
    deliveries: { unanswered, cutOff: cutsDeliveries ? subscriptions.cutOffAt(killedAt) : 0 },
  };
}

/** Waits until another worker has taken or finished the job, at most two minutes. */
async function untilRetaken({ database }: Product, job: HeldJob, seconds: () => number): Promise<number> {
  while (seconds() < 120) {
    const [held] = await queryRows(
      database,
      { attempts: int2 },
      `select j.attempts from ${queueJobs} j where j.id = $1::bigint`,
      [job.id],
    );
    if (!held || held.attempts > job.attempts) break;
    await sleep(50);
  }
  return seconds();
}
