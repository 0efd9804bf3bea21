import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { makeFile, upload } from "@/bench/made-file";
import { readMemory } from "@/bench/processing";
import { until, type Product } from "@/bench/product";
import { report } from "@/bench/report";
import type { RecordingCut } from "@/server/features/cuts/resource";
import type { RecordingFile, RecordingDetail } from "@/server/features/recordings/resource";

const megabytes = 1_000;

/** Reads a download to its end. */
async function drain(url: string): Promise<{ seconds: number; bytes: number }> {
  const started = performance.now();
  const response = await fetch(url);
  if (!response.ok || !response.body) throw new Error(`a download answered ${response.status}`);
  let bytes = 0;
  for await (const part of response.body) bytes += (part as Uint8Array).length;
  return { seconds: (performance.now() - started) / 1_000, bytes };
}

/** Bytes that a process has read of files so far. */
const readBytes = (pid: number): number => Number(/rchar: (\d+)/.exec(fs.readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]);

/** A quarter of a large recording cut out, beside the download of all of it. */
export async function benchCut(product: Product): Promise<void> {
  const { file } = await makeFile(product, megabytes);
  await sleep(100);
  const device = await product.call<{ uid: string }>("POST", "/fleet/devices/", { name: "carrier of cuts" });
  const { recording } = await upload(product, device.uid, file);
  let detail: RecordingDetail | undefined;
  await until("the recording", 600, async () => {
    detail = await product.call<RecordingDetail>("GET", `/fleet/recordings/${recording}/`);
    return detail.status === "ready";
  });
  const { web } = product.pids();
  if (web === null || !detail?.start_ns || !detail.end_ns) throw new Error("there is nothing to cut");
  const [start, end] = [BigInt(detail.start_ns), BigInt(detail.end_ns)];
  const [from, to] = [start + (end - start) / 2n, start + ((end - start) * 3n) / 4n];
  const { results } = await product.call<{ results: RecordingFile[] }>("GET", `/fleet/recordings/${recording}/files/`);
  const whole = await drain(results[0]?.download_url ?? "");
  const range = `from=${from}&to=${to}`;
  const rarest = detail.topics.toSorted((a, b) => Number(a.message_count) - Number(b.message_count))[0]?.name ?? "";
  const cutAll = async (query: string): Promise<number> => {
    const link = await product.call<RecordingCut>("GET", `/fleet/recordings/${recording}/cut/?${query}`);
    fs.writeFileSync(`/proc/${web}/clear_refs`, "5");
    await drain(link.download_url);
    return readMemory(web, "VmHWM");
  };
  for (const [name, query] of [
    ["all topics", range],
    ["the rarest topic", `${range}&topics=${rarest}`],
    ["one topic as CSV", `${range}&format=csv&topics=${detail.topics[0]?.name ?? ""}`],
  ] as const) {
    const { download_url: url } = await product.call<RecordingCut>(
      "GET",
      `/fleet/recordings/${recording}/cut/?${query}`,
    );
    const before = readBytes(web);
    const cut = await drain(url);
    const read = readBytes(web) - before;
    report({
      name: `A quarter of ${Math.round(whole.bytes / 1e6)} MB, ${name} (${(cut.bytes / 1e6).toFixed(1)} MB)`,
      measured: cut.seconds,
      anchor: whole.seconds,
      unit: "s",
      ratio: cut.seconds / whole.seconds,
      note: `read ${Math.round(read / 1e6)} MB; the anchor downloads the whole file`,
    });
  }
  const part = await cutAll(range);
  const all = await cutAll("");
  report({
    name: "The web process's peak memory during a cut of everything beside that of a quarter",
    measured: all,
    anchor: part,
    unit: "MB",
    ratio: all / part,
  });
  await product.call("DELETE", `/fleet/recordings/${recording}/`);
  fs.rmSync(file.location);
}
