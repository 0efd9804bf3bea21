import { rollUp, rollupSteps } from "@/server/features/health/rollup-service";

// Makes rollups in a process of its own, in small steps, and dies in a transaction after as many as DIE_AFTER says. Ends
// with the test that started it.
process.once("disconnect", () => process.exit());
Object.assign(rollupSteps, { fineMinutes: 5, late: 1, runMs: 600_000 });
process.send?.({ started: true });
let left = Number(process.env.DIE_AFTER);
const signal = Object.assign(new AbortController().signal, {
  throwIfAborted: () => {
    if (left-- === 0) setTimeout(() => process.kill(process.pid, "SIGKILL"), 1);
  },
});
const done = await rollUp({ signal });
process.send?.(done);
process.disconnect();
