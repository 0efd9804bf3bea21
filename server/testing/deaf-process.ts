import fs from "node:fs";
import { startMonitoring } from "@/server/composition/monitoring";

// A process with the probes and the watchdog of its role, whose main thread does not answer any more when a message says so:
// `spin` uses the processor for ever, `block` waits until a byte can be read from its standard input.
const { DEAF_ROLE = "web", SILENT_MS, CPU_MS, LOOK_MS } = process.env;
const limits = { silentMs: Number(SILENT_MS), cpuMs: Number(CPU_MS), lookMs: Number(LOOK_MS) };
const { port } = await startMonitoring(DEAF_ROLE === "worker" ? "worker" : "web", limits);

process.on("message", (how) => {
  if (how === "spin") for (;;);
  if (how === "block") fs.readSync(0, Buffer.alloc(1));
});
process.once("disconnect", () => process.exit());
process.send?.({ port });
