import { runWorker } from "@/server/composition/worker";

// A worker as the supervisor starts it. Ends with the test that started it.
process.once("disconnect", () => process.exit());
await runWorker();
