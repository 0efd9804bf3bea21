import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startProduct } from "@/bench/product";
import { makeFleet } from "@/faults/fleet";
import { perform, planKills, type Part } from "@/faults/kill";
import { startLoad } from "@/faults/load";
import { quiet } from "@/faults/quiet";
import { createChance } from "@/faults/random";
import { startAlertReceiver } from "@/faults/receiver";
import { makeRecordings } from "@/faults/recordings";
import { proveStop } from "@/faults/stop";
import { subscribe, type Subscriptions } from "@/faults/subscriptions";
import { makeLongRecording, proveTakeover } from "@/faults/takeover";
import { promise, spread, verdict } from "@/faults/verdict";
import { verify } from "@/faults/verify";
import { verifyWebhooks } from "@/faults/verify-webhooks";

const { values } = parseArgs({
  options: {
    kills: { type: "string" },
    seed: { type: "string" },
    /** Four kills, as part of `npm test`. */
    short: { type: "boolean", default: false },
  },
});
const kills = Number(values.kills ?? (values.short ? 2 : 20));
const seed = Number(values.seed ?? (values.short ? 1 : Date.now() % 1_000_000));
if (!Number.isInteger(kills) || kills < 0 || !Number.isInteger(seed)) {
  console.error("Usage: npm run test:faults -- [--kills N] [--seed N] [--short]");
  process.exit(2);
}

/** Seconds within which a killed worker's job has to run again. */
const retakeLimit = 60;
/** Seconds within which the backlog has to be finished after the last kill. */
const quietLimit = values.short ? 150 : 600;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "muster-faults-"));
const chance = createChance(seed);
const began = performance.now();
const at = () => `${((performance.now() - began) / 1_000).toFixed(1).padStart(6)} s`;
const plan = planKills(kills, chance);
const countKills = (part: Part) => plan.filter((kill) => kill.part === part).length;
console.log(
  `${countKills("worker")} kills of the worker, ${countKills("web")} of web and ${countKills("database")} of the database, seed ${seed}`,
);

const recordings = await makeRecordings(folder, 12);
const long = await makeLongRecording(folder, 40);
const receiver = await startAlertReceiver();
const product = await startProduct();
let subscriptions: Subscriptions | undefined;
let keepLog = false;
try {
  const fleet = await makeFleet(product, receiver.url, 4);
  subscriptions = await subscribe(product, values.short ? 3 : 6);
  console.log(`${at()}  the product runs`);
  const load = startLoad(product, fleet, recordings, chance, values.short ? 250 : 500);
  await sleep(2_000);
  const back: number[] = [];
  const retaken: number[] = [];
  let cutOff = 0;
  const deliveries = { unanswered: 0, cutOff: 0, without: [] as string[] };
  for (const [n, kill] of plan.entries()) {
    const result = await perform({ product, load, receiver, subscriptions, chance }, kill);
    back.push(result.backSeconds);
    retaken.push(...result.retaken);
    cutOff += result.cutOff;
    deliveries.cutOff += result.deliveries.cutOff;
    deliveries.unanswered += result.deliveries.unanswered;
    if (kill.part !== "web" && result.deliveries.unanswered === 0) deliveries.without.push(`kill ${n + 1}`);
    const cut = kill.part === "web" ? "" : ` (${result.deliveries.unanswered} deliveries under way)`;
    const jobs = result.retaken.map((seconds) => `${seconds.toFixed(1)} s`).join(", ");
    console.log(
      `${at()}  kill ${n + 1} of ${plan.length}: ${kill.part} during ${kill.moment}${cut}, complete after ${result.backSeconds.toFixed(1)} s` +
        (jobs === "" ? "" : `, its jobs ran again after ${jobs}`),
    );
  }
  await sleep(2_000);
  await load.stop();
  const { ledger } = load;
  console.log(
    `${at()}  the load has stopped: ${ledger.uploaded.size} uploads, ${ledger.acknowledged.size} requests with events`,
  );

  await proveTakeover(product, fleet, long);
  console.log(`${at()}  waiting until all work is finished`);
  promise("all jobs, recordings and messages are finished", await quiet(product, quietLimit));
  console.log(`${at()}  checking`);
  promise("no upload was given up, and no request refused", ledger.complaints);
  promise(
    `a killed worker's job ran again within ${retakeLimit} s: ${spread(retaken)}`,
    retaken.filter((seconds) => seconds > retakeLimit).map((seconds) => `${seconds.toFixed(1)} s`),
  );
  console.log(`       complete again after a kill: ${spread(back)}`);
  const cuts = countKills("worker") + countKills("database");
  promise(
    `each of ${cuts} kills of worker and database came while deliveries were under way, ${deliveries.unanswered} in all`,
    deliveries.without,
  );
  await verify({ product, fleet, ledger, receiver, cuts, cutOff });
  await verifyWebhooks({ product, subscriptions, caused: ledger.caused, cutOff: deliveries.cutOff });
  await proveStop();
} catch (error) {
  promise("the test ran to its end", [error instanceof Error ? (error.stack ?? error.message) : String(error)]);
} finally {
  keepLog = verdict().failed > 0;
  if (keepLog) fs.copyFileSync(product.log, path.join(os.tmpdir(), "muster-faults.log"));
  await product.stop();
  await receiver.close();
  await subscriptions?.close();
  fs.rmSync(folder, { recursive: true, force: true });
}
const { passed, failed } = verdict();
if (keepLog) console.log(`\nThe product's log is ${path.join(os.tmpdir(), "muster-faults.log")}.`);
console.log(`\nTook ${Math.round((performance.now() - began) / 1_000)} s. ${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
