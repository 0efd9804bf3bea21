import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { compare } from "@/bench/load";
import type { Product } from "@/bench/product";
import { report } from "@/bench/report";

interface Anchor {
  url: string;
  stop: () => void;
}

async function startAnchor(product: Product, target: Record<string, string>): Promise<Anchor> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, "anchor.mjs")], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, DATABASE_URL: product.databaseUrl, BENCH_TARGET: JSON.stringify(target) },
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { port } = JSON.parse(line.toString()) as { port: number };
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill("SIGTERM") };
}

const event = (n: number) => ({
  type: "info",
  label: `event ${n}`,
  timestamp: "2026-01-02T03:04:05.678Z",
  description: "battery below the limit",
  metadata: { voltage: 22.5, cell: n % 12, site: "hall 3" },
});

/** The API through its complete pipeline, compared with bare servers that run the same statement. */
export async function benchApi(product: Product): Promise<void> {
  const devices: { uid: string }[] = [];
  for (let n = 0; n < 50; n++) {
    const body = {
      name: `arm-${n}`,
      type: "manipulator",
      tags: ["cell-3", "blue"],
      metadata: { site: "hall 3", rack: n },
    };
    devices.push(await product.call<{ uid: string }>("POST", "/fleet/devices/", body));
  }
  const deviceId = devices[0]?.uid ?? "";
  const { uid: recordingId } = await product.call<{ uid: string }>("POST", "/fleet/recordings/", {
    device_id: deviceId,
  });
  const anchor = await startAnchor(product, { organizationId: product.organizationId, recordingId, deviceId });
  const headers = { "x-service-api-key": product.key };
  const api = `${product.url}/api/v1/fleet`;
  try {
    const list = await compare(
      { url: `${api}/devices/?limit=50`, headers, seconds: 5 },
      { url: `${anchor.url}/devices`, seconds: 5 },
    );
    report({
      name: "GET 50 devices",
      measured: list.product,
      anchor: list.anchor,
      unit: "requests/s",
      ratio: list.product / list.anchor,
      atLeast: 0.6,
    });

    const one = await compare(
      {
        url: `${api}/events/`,
        method: "POST",
        headers,
        body: JSON.stringify({ recording_id: recordingId, ...event(1) }),
        seconds: 5,
      },
      { url: `${anchor.url}/event`, method: "POST", body: JSON.stringify(event(1)), seconds: 5 },
    );
    report({
      name: "POST one event",
      measured: one.product,
      anchor: one.anchor,
      unit: "requests/s",
      ratio: one.product / one.anchor,
      atLeast: 0.25,
    });

    const events = Array.from({ length: 1_000 }, (_, n) => event(n));
    const batch = await compare(
      {
        url: `${api}/events/batch/`,
        method: "POST",
        headers,
        body: JSON.stringify({ recording_id: recordingId, events }),
        seconds: 5,
        connections: 4,
      },
      { url: `${anchor.url}/batch`, method: "POST", body: JSON.stringify({ events }), seconds: 5, connections: 4 },
    );
    report({
      name: "POST a batch of 1,000 events",
      measured: batch.product * 1_000,
      anchor: batch.anchor * 1_000,
      unit: "events/s",
      ratio: batch.product / batch.anchor,
      atLeast: 0.3,
    });
  } finally {
    anchor.stop();
  }
  await product.database.query("delete from events where recording_id = $1", [recordingId]);
  await product.database.query("vacuum analyze events");
}
