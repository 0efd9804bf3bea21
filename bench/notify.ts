import { makeFile, upload } from "@/bench/made-file";
import type { Product } from "@/bench/product";
import { getMedian, report } from "@/bench/report";
import { startReceiver } from "@/server/testing/receiver";

const rounds = 10;
const limitSeconds = 2;

/** Seconds from the end of a 10 MB upload until its critical alert arrives at a channel. */
export async function benchNotify(product: Product): Promise<void> {
  const arrivals = new Map<string, number>();
  let arrived: () => void = () => {};
  const receiver = await startReceiver(({ body }, response) => {
    const { alert } = JSON.parse(body) as { alert: { recording_id: string } };
    arrivals.set(alert.recording_id, performance.now());
    response.end("ok");
    arrived();
  });
  try {
    const channel = await product.call<{ uid: string }>("POST", "/fleet/alerts/channels/", {
      name: "On call",
      type: "webhook",
      config: { url: `${receiver.url}/alerts` },
    });
    const rule = await product.call<{ uid: string }>("POST", "/fleet/rules/", {
      name: "Motor too hot",
      condition: { type: "threshold", topic: "/motor_*", field: "temperature", operator: "gt", value: 70 },
      actions: [{ type: "notify", channel_id: channel.uid, severity: "critical" }],
    });
    const device = await product.call<{ uid: string }>("POST", "/fleet/devices/", { name: "messenger" });
    const { file } = await makeFile(product, 10);
    const delays: number[] = [];
    // The first round warms up.
    for (let round = 0; round <= rounds; round++) {
      const { recording, finalizedAt } = await upload(product, device.uid, file);
      while (!arrivals.has(recording)) {
        await new Promise<void>((resolve, reject) => {
          arrived = resolve;
          setTimeout(() => reject(new Error("no notification came within 60 s")), 60_000).unref();
        });
      }
      if (round > 0) delays.push(((arrivals.get(recording) ?? 0) - finalizedAt) / 1_000);
    }
    const bare: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const started = performance.now();
      await (
        await fetch(receiver.url, { method: "POST", body: JSON.stringify({ alert: { recording_id: "bare" } }) })
      ).text();
      bare.push((performance.now() - started) / 1_000);
    }
    const sorted = delays.sort((a, b) => a - b);
    const anchor = getMedian(bare.sort((a, b) => a - b));
    const figures = { median: getMedian(sorted), worst: sorted[sorted.length - 1] ?? 0 };
    for (const [name, measured] of Object.entries(figures)) {
      report({
        name: `From finalize of ${Math.round(file.size / 1e6)} MB to the alert's arrival, ${name} of ${rounds}, beside a bare POST`,
        measured,
        anchor,
        unit: "s",
        ratio: measured / limitSeconds,
        under: limitSeconds,
        note: `ratio to ${limitSeconds} s`,
      });
    }
    await product.call("PATCH", `/fleet/rules/${rule.uid}/`, { enabled: false });
  } finally {
    await receiver.close();
  }
}
