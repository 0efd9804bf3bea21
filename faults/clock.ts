import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort, startProduct, until, type Product } from "@/bench/product";
import { type FakeTime, installFakeTime, makeFakeTime } from "@/faults/fake-time";
import type { FaultRun } from "@/faults/run";
import { keepLog, promise } from "@/faults/verdict";
import { queryRows, text } from "@/server/platform/rows";
import { startReceiver } from "@/server/testing/receiver";

const hour = 3_600;
const pings = 8;
/** Shorter than a lease, and long enough that the clock moves meanwhile. */
const slowMs = 8_000;
const retrySeconds = 60;
/** The delay varies by a fifth; a second for the resolution of both moments. */
const earliestRetry = retrySeconds * 0.8 - 1;
const maxSkew = 30;

interface Attempt {
  hook: Hook;
  id: string;
  /** Seconds since 1970: when it arrived, and what its signature says. */
  at: number;
  signed: number;
}

/** Subscriptions: to a receiver that responds late, to one that refuses each first attempt, and to a usual one. */
const hooks = ["slow", "failing", "quick"] as const;
type Hook = (typeof hooks)[number];

interface Targets {
  attempts: Attempt[];
  ping: (hook: Hook) => Promise<void>;
  close: () => Promise<void>;
}

async function addTargets(product: Product): Promise<Targets> {
  const attempts: Attempt[] = [];
  const receiver = await startReceiver(({ path: at, headers }, response) => {
    const hook = hooks.find((name) => at === `/${name}`) ?? "quick";
    const id = headers["webhook-id"] ?? "";
    const isFirst = !attempts.some((attempt) => attempt.id === id);
    attempts.push({ hook, id, at: Date.now() / 1_000, signed: Number(headers["webhook-timestamp"]) });
    if (hook === "failing" && isFirst) response.writeHead(500).end();
    else setTimeout(() => response.end("ok"), hook === "slow" ? slowMs : 0);
  });
  const uids = new Map<Hook, string>();
  for (const hook of hooks) {
    const body = { target_url: `${receiver.url}/${hook}`, events: ["dataset.created"] };
    uids.set(hook, (await product.call<{ uid: string }>("POST", "/webhooks/", body)).uid);
  }
  const ping = async (hook: Hook) => {
    await product.call("POST", `/webhooks/${uids.get(hook)}/test/`);
  };
  return { attempts, ping, close: () => receiver.close() };
}

/** Moves the clock of one of two workers an hour ahead while deliveries are under way and retries are waiting. */
export async function proveClock({ folder, at }: FaultRun): Promise<void> {
  const library = installFakeTime();
  const product = await startProduct({ RETRY_DELAYS: `${retrySeconds},${retrySeconds}` });
  const targets = await addTargets(product);
  const clock = makeFakeTime(library, path.join(folder, "clock"));
  const port = await freePort();
  const worker = product.addWorker({ ...clock.environment, METRICS_PORT: String(port) });
  try {
    const readReadiness = async () => {
      const response = await fetch(`http://127.0.0.1:${port}/readyz`);
      const { clock: warning } = (await response.json()) as { clock?: string };
      return { status: response.status, warning };
    };
    await until("the second worker's start", 60, async () => (await readReadiness()).status === 200);
    const right = await readReadiness();
    promise("a worker whose clock is right does not warn", right.warning === undefined ? [] : [JSON.stringify(right)]);

    await proveMove(product, targets, clock, async () => {
      const wrong = await readReadiness();
      promise(
        "its /readyz says that the clock is wrong, and stays 200",
        wrong.warning === "wrong" && wrong.status === 200 ? [] : [JSON.stringify(wrong)],
      );
    });
    console.log(`${at()}  the clock was moved while two workers ran`);
    await proveAlone(product, targets);
    promise(
      "the worker with the wrong clock runs on, and warned in its log",
      [
        worker.exitCode === null ? "" : `it ended with ${worker.exitCode}`,
        /the clock of this machine is 3\d{3} s ahead of that of the database/.test(fs.readFileSync(product.log, "utf8"))
          ? ""
          : "no such line in its log",
      ].filter(Boolean),
    );
    const off = targets.attempts.map(({ at: arrived, signed }) => Math.abs(arrived - signed));
    promise(
      `each of ${off.length} signatures has the database's time, at most ${Math.max(...off).toFixed(1)} s from its arrival`,
      targets.attempts.filter((_, n) => !((off[n] ?? 0) <= maxSkew)).map(({ id }, n) => `${id}: ${off[n]} s`),
    );
    await proveRefusal(product, makeFakeTime(library, path.join(folder, "wrong-clock")));
  } finally {
    keepLog(product.log);
    await endWorker(worker);
    await product.stop();
    await targets.close();
  }
}

const endWorker = async (worker: ChildProcess): Promise<void> => {
  worker.kill("SIGTERM");
  if (worker.exitCode === null && worker.signalCode === null) await once(worker, "exit");
};

const listPending = ({ database }: Product) =>
  queryRows(database, { uid: text }, "select uid from webhook_deliveries where status <> 'delivered'", []);

async function awaitDelivered(product: Product, seconds: number): Promise<void> {
  const allDelivered = async () => (await listPending(product)).length === 0;
  await until("the delivery", seconds, allDelivered).catch(() => {});
  promise(
    "every delivery arrived",
    (await listPending(product)).map(({ uid }) => uid),
  );
}

async function proveMove(
  product: Product,
  { attempts, ping }: Targets,
  clock: FakeTime,
  whenMoved: () => Promise<void>,
): Promise<void> {
  const count = (hook: Hook) => attempts.filter((attempt) => attempt.hook === hook).length;
  for (let n = 0; n < pings; n++) for (const hook of hooks) await ping(hook);
  await until("the first attempts", 60, () => Promise.resolve(count("failing") >= pings && count("slow") >= 2));
  const slowBefore = count("slow");
  clock.setAhead(hour);
  await sleep(2_000);
  await whenMoved();
  for (let n = 0; n < pings; n++) for (const hook of hooks) await ping(hook);
  await awaitDelivered(product, 300);

  const byId = new Map<string, Attempt[]>();
  for (const attempt of attempts) byId.set(attempt.id, [...(byId.get(attempt.id) ?? []), attempt]);
  const deliveries = [...byId.values()];
  const wanted = { slow: 1, failing: 2, quick: 1 };
  promise(
    `each of ${deliveries.length} deliveries was sent as often as needed, ${slowBefore} slow ones begun before the move`,
    deliveries.flatMap((list) => {
      const [{ hook, id } = { hook: "quick" as const, id: "" }] = list;
      return list.length === wanted[hook] ? [] : [`${hook} ${id}: ${list.length} times`];
    }),
  );
  const gaps = deliveries.flatMap(([first, second]) => (first && second ? [second.at - first.at] : []));
  promise(
    `each retry came when it was due, ${Math.min(...gaps).toFixed(0)} to ${Math.max(...gaps).toFixed(0)} s later; ${retrySeconds} s are set`,
    gaps.filter((gap) => gap < earliestRetry).map((gap) => `after ${gap.toFixed(1)} s`),
  );
}

/** Suspends the worker with the right clock, so that the other one has to send. */
async function proveAlone(product: Product, { attempts, ping }: Targets): Promise<void> {
  const { worker } = product.pids();
  if (worker === null) throw new Error("there is no worker");
  const before = attempts.length;
  process.kill(worker, "SIGSTOP");
  try {
    for (let n = 0; n < pings; n++) await ping("quick");
    await awaitDelivered(product, 120);
  } finally {
    process.kill(worker, "SIGCONT");
  }
  const sent = attempts.length - before;
  promise(`alone, it sent each of ${pings} deliveries once`, sent === pings ? [] : [`${sent} attempts`]);
}

/** Starts a worker whose clock is wrong from the beginning. */
async function proveRefusal(product: Product, clock: FakeTime): Promise<void> {
  clock.setAhead(hour);
  const from = fs.statSync(product.log).size;
  const worker = product.addWorker(clock.environment);
  await until("the worker's end", 60, () => Promise.resolve(worker.exitCode !== null)).catch(() => {});
  const code = worker.exitCode;
  await endWorker(worker);
  const log = fs.readFileSync(product.log).subarray(from).toString();
  const [line] = /The clock of this machine is [^"]*start Muster again\./.exec(log) ?? [];
  promise(
    `a worker started an hour ahead refuses: ${line ?? "no text"}`,
    code === 1 && line !== undefined ? [] : [`it ended with ${code}: ${log.slice(0, 400)}`],
  );
}
