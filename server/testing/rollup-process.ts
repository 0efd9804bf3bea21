import { rollUp, rollupSteps } from "@/server/features/health/rollup-service";

// Makes rollups in a process of its own, in small steps. Ends with the test that started it.
process.once("disconnect", () => process.exit());
Object.assign(rollupSteps, { fineMinutes: 5, late: 1, runMs: 600_000 });
process.send?.({ started: true });
const done = await rollUp({ signal: new AbortController().signal });
process.send?.(done);
process.disconnect();
