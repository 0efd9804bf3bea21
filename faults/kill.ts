import { setTimeout as sleep } from "node:timers/promises";
import { until, type Product } from "@/bench/product";
import type { Load } from "@/faults/load";
import type { Chance } from "@/faults/random";
import type { AlertReceiver } from "@/faults/receiver";

const moments = ["upload", "events", "processing", "notification"] as const;
export type Moment = (typeof moments)[number];
export type Part = "web" | "worker" | "database";
export interface Kill {
  part: Part;
  moment: Moment;
}

export interface Scene {
  product: Product;
  load: Load;
  receiver: AlertReceiver;
  chance: Chance;
}

/** Every part at every moment, in an order that chance decides, as often as it takes; the database once, in the middle. */
export function planKills(count: number, chance: Chance): Kill[] {
  const first: Kill[] = [
    { part: "worker", moment: "notification" },
    { part: "web", moment: "upload" },
    { part: "worker", moment: "processing" },
  ];
  const all = (["web", "worker"] as const).flatMap((part) => moments.map((moment): Kill => ({ part, moment })));
  const plan = [...first];
  while (plan.length < count) plan.push(...chance.shuffled(all));
  plan.length = count;
  plan.splice(Math.ceil(count / 2), 0, { part: "database", moment: "processing" });
  return plan;
}

const isServed = async ({ url }: Product) => (await fetch(`${url}/readyz`)).status === 200;

interface HeldJob {
  id: string;
  attempts: number;
}

const heldJobs = async ({ database }: Product): Promise<HeldJob[]> =>
  (
    await database.query<HeldJob>(
      `select j.id::text, j.attempts from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
       where t.identifier = 'recordings.process' and j.locked_by is not null`,
    )
  ).rows;

async function happens({ product, load, receiver }: Scene, moment: Moment): Promise<boolean> {
  if (moment === "upload") return load.sending().files > 0;
  if (moment === "events") return load.sending().events > 0;
  if (moment === "notification") return receiver.unanswered() > 0;
  return (await heldJobs(product)).length > 0;
}

export interface Killed {
  /** Seconds until the product was whole again. */
  backSeconds: number;
  /** Seconds until each job of a killed worker ran again. */
  retaken: number[];
  /** Messages whose sender died, or could not note what became of them. */
  cutOff: number;
}

/** Kills a part in such a moment. Resolves once the product is whole again. */
export async function perform(scene: Scene, { part, moment }: Kill): Promise<Killed> {
  const { product, chance } = scene;
  const whole = async () => {
    const { web, worker, database } = product.pids();
    return web !== null && worker !== null && database !== null && (await isServed(product));
  };
  await until("the product being whole", 60, whole);
  await sleep(chance.between(200, 900));
  // A moment that does not come (the queue happens to be empty) is no reason not to kill.
  for (const end = performance.now() + 8_000; performance.now() < end && !(await happens(scene, moment)); ) await sleep(2);
  await sleep(chance.between(0, moment === "notification" ? 20 : 8));

  const pid = product.pids()[part];
  if (pid === null) throw new Error(`there is no ${part} to kill`);
  process.kill(pid, "SIGKILL");
  const killedAt = performance.now();
  const cutOff = part === "web" ? 0 : scene.receiver.underWay();
  const seconds = () => (performance.now() - killedAt) / 1_000;
  const retaken = part === "worker" ? await Promise.all((await heldJobs(product)).map((job) => untilRetaken(product, job, seconds))) : [];
  await until(`the ${part}'s return`, 90, async () => {
    const now = product.pids()[part];
    return now !== null && now !== pid && (await whole());
  });
  return { backSeconds: seconds(), retaken, cutOff };
}

/** Until another worker has the job, or has finished it; gives up after two minutes. */
async function untilRetaken({ database }: Product, job: HeldJob, seconds: () => number): Promise<number> {
  while (seconds() < 120) {
    const { rows } = await database.query<{ attempts: number }>(
      "select attempts from graphile_worker._private_jobs where id = $1::bigint",
      [job.id],
    );
    if (!rows[0] || rows[0].attempts > job.attempts) break;
    await sleep(50);
  }
  return seconds();
}
