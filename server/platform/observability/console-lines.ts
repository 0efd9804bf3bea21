import { Console } from "node:console";
import { Writable } from "node:stream";
import { format, stripVTControlCharacters, types } from "node:util";
import { logFor } from "@/server/platform/log";

const log = logFor("console");

const levels = { trace: "debug", debug: "debug", log: "info", info: "info", warn: "warn", error: "error" } as const;
type Level = (typeof levels)[keyof typeof levels];

/** Such as `⨯` before Next's errors and `✓` before what it has done. */
const marks = /^[\s○⨯⚠▲✓»]+/;

/** An error that was logged already, as a request refused with 503, and that Next shows once more. */
const isRefusal = (error: Error): boolean => "digest" in error && error.digest === "unavailable";

function write(level: Level, values: readonly unknown[]): void {
  const error = values.find((value) => types.isNativeError(value));
  const text = stripVTControlCharacters(format(...values.filter((value) => value !== error)))
    .replace(marks, "")
    .trimEnd();
  if (error) log[isRefusal(error) ? "debug" : level]({ err: error }, text || error.message);
  else if (text !== "") log[level](text);
}

const sink = (level: Level) =>
  new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      write(level, [text]);
      done();
    },
  });

/**
 * Makes lines of our log of what others print in this process: Next and libraries by `console`, Node its warnings. Called
 * before they are loaded.
 */
export function logConsole(): void {
  const others = new Console({ stdout: sink("info"), stderr: sink("error") });
  // Tables, groups and the like, whose text has several lines.
  for (const [name, method] of Object.entries(others)) {
    if (typeof method === "function") Object.assign(console, { [name]: (method as () => void).bind(others) });
  }
  for (const [name, level] of Object.entries(levels)) {
    Object.assign(console, { [name]: (...values: unknown[]) => write(level, values) });
  }
  process.removeAllListeners("warning");
  process.on("warning", (warning) => log.warn({ err: warning }, warning.message));
}
