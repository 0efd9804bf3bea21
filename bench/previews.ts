import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { makeFile, upload } from "@/bench/made-file";
import type { Product } from "@/bench/product";
import { report } from "@/bench/report";
import { streamSeconds } from "@/bench/stream";
import { int4, queryRows } from "@/server/platform/rows";

const recordings = 20;
/** Ten minutes of the generator, whose IMU has 1 kHz. */
const megabytes = 146;
const moves = 20;

async function untilStored(product: Product, device: string): Promise<void> {
  for (;;) {
    const [row] = await queryRows(
      product.database,
      { stored: int4 },
      `select count(*)::int as stored from recordings r join signal_sets s on s.recording_id = r.uid
       where r.device_id = $1 and r.status = 'ready' and s.error is null`,
      [device],
    );
    if (row?.stored === recordings) return;
    await sleep(200);
  }
}

/** A rule's preview over ten minutes of 1 kHz of twenty recordings, and the moves of its slider. */
export async function benchPreviews(product: Product): Promise<void> {
  const { file, seconds: recorded } = await makeFile(product, megabytes);
  const { uid: device } = await product.call<{ uid: string }>("POST", "/fleet/devices/", { name: "previewed" });
  const uploaded: string[] = [];
  for (let n = 0; n < recordings; n++) uploaded.push((await upload(product, device, file)).recording);
  await untilStored(product, device);
  const preview = async (value: number): Promise<number> => {
    const began = performance.now();
    const { hit_count: hits } = await product.call<{ hit_count: number }>("POST", "/fleet/rules/preview/", {
      condition: {
        type: "threshold",
        topic: "/imu",
        field: "linear_acceleration.z",
        operator: "gt",
        value,
        window: "500ms",
      },
      scope: { device_ids: [device] },
    });
    if (typeof hits !== "number") throw new Error("the preview became a run");
    return (performance.now() - began) / 1_000;
  };
  const anchor = await streamSeconds(file.location);
  const first = await preview(9.85);
  report({
    name: `The first preview over ${recordings} recordings of ${Math.round(recorded / 60)} minutes beside a bare read of one`,
    measured: first,
    anchor,
    unit: "s",
    ratio: anchor / first,
  });
  const times: number[] = [];
  for (let n = 1; n <= moves; n++) times.push(await preview(9.85 + n / 1_000));
  const median = times.toSorted((a, b) => a - b)[moves / 2]!;
  report({
    name: "A move of its slider beside the first preview",
    measured: median,
    anchor: first,
    unit: "s",
    ratio: first / median,
    note: `the slowest of ${moves}: ${Math.max(...times).toFixed(3)} s`,
  });
  for (const uid of uploaded) await product.call("DELETE", `/fleet/recordings/${uid}/`);
  fs.rmSync(file.location);
}
