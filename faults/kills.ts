import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startProduct } from "@/bench/product";
import { makeFleet } from "@/faults/fleet";
import { proveItemWork } from "@/faults/items";
import { perform, planKills, type Part } from "@/faults/kill";
import { startLoad } from "@/faults/load";
import { quiet } from "@/faults/quiet";
import { startAlertReceiver } from "@/faults/receiver";
import { makeRecordings } from "@/faults/recordings";
import type { FaultRun } from "@/faults/run";
import { subscribe, type Subscriptions } from "@/faults/subscriptions";
import { makeLongRecording, proveTakeover } from "@/faults/takeover";
import { promise, spread, verdict } from "@/faults/verdict";
import { verify } from "@/faults/verify";
import { verifyWebhooks } from "@/faults/verify-webhooks";

/** Seconds within which a killed worker's job has to run again. */
const retakeLimit = 60;

/** Kills worker, web and database again and again under load, then checks that nothing was lost or done twice. */
export async function proveKills(run: FaultRun): Promise<void> {
  const { folder, kills, short, chance, at } = run;
  const plan = planKills(kills, chance);
  const countKills = (part: Part) => plan.filter((kill) => kill.part === part).length;
  console.log(
    `${countKills("worker")} kills of the worker, ${countKills("web")} of web and ${countKills("database")} of the database`,
  );
  /** Seconds within which the backlog has to be finished after the last kill. */
  const quietLimit = short ? 150 : 600;
  const recordings = await makeRecordings(folder, 12);
  const long = await makeLongRecording(folder, 60);
  const receiver = await startAlertReceiver();
  const product = await startProduct();
  let subscriptions: Subscriptions | undefined;
  const failedBefore = verdict().failed;
  try {
    const fleet = await makeFleet(product, receiver.url, 4);
    subscriptions = await subscribe(product, short ? 3 : 6);
    console.log(`${at()}  the product runs`);
    const load = startLoad(product, fleet, recordings, chance, short ? 250 : 500);
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

    console.log(`${at()}  waiting until all work is finished`);
    await quiet(product, quietLimit);
    await proveTakeover(product, fleet, long);
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
    // The full form has a part of its own for it.
    if (short) await proveItemWork(product, run);
  } finally {
    if (verdict().failed > failedBefore) fs.copyFileSync(product.log, path.join(os.tmpdir(), "muster-faults.log"));
    await product.stop();
    await receiver.close();
    await subscriptions?.close();
  }
}
