import { createRequire } from "node:module";
import { logConsole } from "@/server/platform/observability/console-lines";
import { withoutStack } from "@/server/platform/unavailable";

/* oxlint-disable no-console -- this is about what others print by it */
// Prints what Next, libraries and Node do in a web process, and ends.
logConsole();
const next = createRequire(import.meta.url)("next/dist/build/output/log.js") as Record<
  "event" | "error" | "warn" | "info",
  (...values: unknown[]) => void
>;
next.event("Running next.config.mjs");
next.error(new Error("a page could not be rendered\nfor two reasons"));
next.error(withoutStack(new Error("The service is not ready to answer.")));
next.warn("a setting is not known");
next.info("");
console.log("\u001B[1mseveral\u001B[22m\nlines of %s", "a library");
console.table([{ name: "a", size: 1 }]);
console.group("a group");
console.dir({ nested: { deep: true } });
process.emitWarning("a module is old", "DeprecationWarning");
setImmediate(() => process.disconnect());
process.send?.({});
