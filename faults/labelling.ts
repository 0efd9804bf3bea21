import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { startProduct, until, type Product } from "@/bench/product";
import { fillDataset, makeDataset } from "@/faults/item-scene";
import {
  addLabeller,
  labelAll,
  labelRest,
  send,
  type Labeller,
  type LabelLedger,
  type LabelScene,
} from "@/faults/labeller";
import { quiet } from "@/faults/quiet";
import type { FaultRun } from "@/faults/run";
import { keepLog, promise } from "@/faults/verdict";
import { int4, jsonb, queryRows, text, type Wire } from "@/server/platform/rows";
import { startReceiver, type Receiver } from "@/server/testing/receiver";

const resultRow = {
  task: text,
  uid: text,
  submitted_by: text,
  annotations: jsonb(
    z.array(z.object({ coordinates: z.object({ x: z.number() }), attributes: z.object({ id: z.string() }) })),
  ),
};
type ResultRow = Wire<typeof resultRow>;

const people = 8;
const pictures = 300;

/** Kills web and database while people label; then each task has one result, with every box that was acknowledged. */
export async function proveLabelling(run: FaultRun): Promise<void> {
  const { kills, chance, at } = run;
  const product = await startProduct();
  const receiver = await startReceiver();
  const ledger: LabelLedger = { given: new Map(), drawn: new Map(), results: new Map(), repeated: 0, complaints: [] };
  try {
    const { project, at: place, dataset } = await makeProject(product);
    await product.call("POST", "/webhooks/", {
      target_url: receiver.url,
      events: ["result.submitted", "task.completed"],
    });
    const names = Array.from({ length: people }, (_, n) => `labeller-${n}`);
    const labellers: Labeller[] = [];
    for (const name of names) labellers.push(await addLabeller(product, name));
    console.log(`${at()}  ${people} people label ${pictures} pictures`);
    const scene: LabelScene = { product, project, ledger, chance };
    let working = true;
    const renaming = renameLabel(scene, place, () => working);
    const work = Promise.all(labellers.map((each) => labelAll(scene, each)));
    for (let n = 1; n <= kills; n++) {
      // At a share of the work each, so that people get on between them however slow the machine is.
      await until(`kill ${n}`, 600, () => Promise.resolve(ledger.results.size >= (n / (kills + 1)) * pictures));
      await sleep(chance.between(0, 300));
      await kill(product, chance.between(0, 1) < 0.7 ? "web" : "database");
    }
    console.log(`${at()}  killed ${kills} times, ${ledger.results.size} results so far`);
    await work;
    working = false;
    await renaming;
    for (const each of labellers) await labelRest(scene, each);
    console.log(`${at()}  ${ledger.results.size} results, ${ledger.repeated} requests were sent again`);
    promise("all jobs and deliveries are finished", await quiet(product, 300));
    await verify(product, project, dataset, ledger, receiver);
  } finally {
    keepLog(product.log);
    await product.stop();
    await receiver.close();
  }
}

async function makeProject(product: Product): Promise<{ project: string; at: string; dataset: string }> {
  const dataset = await makeDataset(product, "labelled");
  await fillDataset(product, dataset, pictures);
  const size = `metadata = '{"width": 640, "height": 480}'`;
  await product.database.query(`update items set ${size} where dataset_id = $1`, [dataset.uid]);
  const made = await product.call<{ uid: string; owner_name: string }>("POST", "/projects/", {
    name: "Kills",
    task_type: "image-annotation",
    datasets: [dataset.uid],
    labels: [{ name: "car" }],
  });
  await product.call("POST", `/projects/${made.uid}/approve/`);
  const at = `/projects/${made.owner_name}/${made.uid}/`;
  const read = () => product.call<{ task_count: number }>("GET", at);
  await until("the tasks of the project", 60, async () => (await read()).task_count === pictures);
  return { project: made.uid, at, dataset: dataset.uid };
}

async function kill(product: Product, part: "web" | "database"): Promise<void> {
  const isComplete = async () => {
    const { web, worker, database } = product.pids();
    return !!web && !!worker && !!database && (await fetch(`${product.url}/readyz`)).status === 200;
  };
  await until("the start of all parts", 60, isComplete);
  const pid = product.pids()[part];
  if (pid === null) throw new Error(`there is no ${part} to kill`);
  process.kill(pid, "SIGKILL");
  await until(`the ${part}'s return`, 90, async () => product.pids()[part] !== pid && (await isComplete()));
}

/** Renames the label back and forth while people label with it. */
async function renameLabel(scene: LabelScene, at: string, isWorking: () => boolean): Promise<void> {
  const admin: Labeller = { name: "admin", key: scene.product.key };
  for (let n = 0; isWorking(); n++, await sleep(400))
    await send(scene, admin, ["PATCH", at], { labels: [{ id: "0", name: n % 2 === 0 ? "vehicle" : "car" }] });
}

async function verify(
  { database }: Product,
  project: string,
  dataset: string,
  ledger: LabelLedger,
  receiver: Receiver,
): Promise<void> {
  promise("no request was refused or left without an answer", ledger.complaints);
  promise(
    `each of ${ledger.given.size} tasks was given to one person`,
    [...ledger.given].filter(([, names]) => names.size > 1).map(([uid, names]) => `${uid}: ${[...names].join(", ")}`),
  );
  const rows = await queryRows(
    database,
    resultRow,
    `select task_id as task, uid, submitted_by, annotations from results where project_id = $1 order by uid`,
    [project],
  );
  const results = new Map(rows.map((row) => [row.task, row]));
  promise(`each of ${pictures} tasks has one result, that which was acknowledged, of the person it was given to`, [
    ...(rows.length === pictures && results.size === pictures
      ? []
      : [`${rows.length} results of ${results.size} tasks`]),
    ...rows.filter(({ task, uid }) => ledger.results.get(task) !== uid).map(({ task }) => `${task} has another result`),
    ...rows
      .filter(({ task, submitted_by: by }) => !ledger.given.get(task)?.has(by))
      .map(({ task, submitted_by: by }) => `${task} was submitted by ${by}`),
  ]);
  const boxes = [...ledger.drawn.values()].reduce((sum, { size }) => sum + size, 0);
  promise(
    `each of ${boxes} acknowledged boxes is in its result, and no other`,
    [...ledger.drawn].flatMap(([task, drawn]) => compareBoxes(drawn, results.get(task))),
  );
  promise("the counts of the project are those of its tasks", await checkCounts(database, project, dataset));
  promise("each submission is an event of its result and of its task once", await checkEvents(database));
  const arrived = new Set(receiver.received.map(({ headers }) => headers["webhook-id"]));
  promise("each event arrived", arrived.size === 2 * pictures ? [] : [`${arrived.size} of ${2 * pictures} arrived`]);
}

function compareBoxes(drawn: ReadonlyMap<string, number>, result: ResultRow | undefined): string[] {
  const found = new Map(result?.annotations.map(({ attributes, coordinates }) => [attributes.id, coordinates.x]));
  return [
    ...[...drawn].filter(([id, x]) => found.get(id) !== x).map(([id]) => `${id} is not in ${result?.uid}`),
    ...[...found.keys()].filter((id) => !drawn.has(id)).map((id) => `${id} of ${result?.uid} was never acknowledged`),
  ];
}

async function checkCounts(database: Product["database"], project: string, dataset: string): Promise<string[]> {
  const [row] = await queryRows(
    database,
    { completed_count: int4, batches: int4, started: int4, items: int4, leases: int4 },
    `select p.completed_count,
       (select sum(b.completed_count)::int from work_batches b where b.project_id = p.uid) as batches,
       (select sum(b.started_count)::int from work_batches b where b.project_id = p.uid) as started,
       (select count(*)::int from items i where i.dataset_id = $2 and i.status = 'completed') as items,
       (select count(*)::int from tasks t where t.project_id = p.uid and (t.lease_user is not null or t.status <> 'completed')) as leases
     from projects p where p.uid = $1`,
    [project, dataset],
  );
  const expected = { completed_count: pictures, batches: pictures, started: pictures, items: pictures, leases: 0 };
  return Object.entries(expected).flatMap(([name, value]) => {
    const found = row?.[name as keyof typeof expected];
    return found === value ? [] : [`${name} is ${found}, not ${value}`];
  });
}

async function checkEvents(database: Product["database"]): Promise<string[]> {
  const rows = await queryRows(
    database,
    { event_type: text, objects: int4, deliveries: int4 },
    `select event_type, count(distinct object_id)::int as objects, count(*)::int as deliveries
     from webhook_deliveries where event_type in ('result.submitted', 'task.completed') group by 1`,
  );
  return ["result.submitted", "task.completed"].flatMap((type) => {
    const row = rows.find(({ event_type }) => event_type === type);
    return row?.objects === pictures && row.deliveries === pictures
      ? []
      : [`${type}: ${row?.deliveries ?? 0} events of ${row?.objects ?? 0}, not ${pictures}`];
  });
}
