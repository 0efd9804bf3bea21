import { z } from "zod";
import { handlers } from "@/server/composition/job-handlers";
import { runWorker } from "@/server/composition/worker";
import { jobs } from "@/server/platform/jobs/definitions";
import type { JobHandler } from "@/server/platform/jobs/handler";

// A worker as the supervisor starts it, but for one recording: its processing uses the thread for ever, in its first
// attempt once another recording is being processed beside it. Ends with the test that started it.
const { POISON = "", INNOCENT = "", SILENT_MS, CPU_MS, LOOK_MS } = process.env;
const Payload = z.object({ recordingId: z.string() });
let begin: () => void = () => {};
const innocentBegan = new Promise<void>((resolve) => (begin = resolve));

const spinning = (handler: JobHandler): JobHandler => ({
  ...handler,
  run: async (payload, run) => {
    const { recordingId } = Payload.parse(payload);
    if (recordingId === INNOCENT) begin();
    if (recordingId !== POISON) return handler.run(payload, run);
    if (run.attempt.attempt === 1) await innocentBegan;
    for (;;);
  },
});

const isProcessing = ({ definition }: JobHandler) =>
  definition.name === jobs.processRecording.name || definition.name === jobs.processSmallRecording.name;

process.once("disconnect", () => process.exit());
await runWorker({
  handlers: handlers.map((handler) => (isProcessing(handler) ? spinning(handler) : handler)),
  limits: { silentMs: Number(SILENT_MS), cpuMs: Number(CPU_MS), lookMs: Number(LOOK_MS) },
});
