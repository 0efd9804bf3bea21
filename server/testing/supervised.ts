import { supervise } from "@/server/platform/process/supervise";

// Runs the real supervisor and database of `npm start` with two parts that do nothing, so it needs no built pages.
// PARTS=unresponsive makes parts that only SIGKILL ends; others end half a second after a signal.
const unresponsive = process.env.PARTS === "unresponsive";
const onSignal = unresponsive ? "" : "setTimeout(() => process.exit(), 500)";
const part = (name: string): [string, ...string[]] => [
  process.execPath,
  "-e",
  `for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => { ${onSignal} });
   ${unresponsive ? "" : `process.once("disconnect", () => process.exit());`}
   setInterval(() => {}, 1_000);
   console.log("${name} is process " + process.pid);
   process.send({ port: 1 });`,
];

await supervise({ web: part("web"), worker: part("worker") }, (port) => Promise.resolve(port !== undefined));
