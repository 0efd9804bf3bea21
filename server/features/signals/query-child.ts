import { type ChildProcess, fork } from "node:child_process";
import os from "node:os";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { cancelled, invalid, requireCaller, ServiceError } from "@/server/platform/errors";
import { logFor } from "@/server/platform/log";
import { processWide } from "@/server/platform/process-wide";
import { residentMb } from "@/server/platform/process/resident-memory";

/**
 * The program of the process that runs a query. Found when this file is loaded, which the server does before Next: beside
 * its bundle the program has the files that it imports, beside Next's bundles it has none of them.
 */
const program = processWide("queryProgram", () => fileURLToPath(new URL("./query-thread.mjs", import.meta.url)));

interface QueryLimits {
  /** To plan and run, without what fetching files takes. */
  seconds: number;
  memoryMb: number;
}
const queryLimits: QueryLimits = { seconds: 30, memoryMb: 512 };
/** The limits of a query that reads no topic: it may compute an example, and not keep the others from theirs. */
const topiclessLimits: QueryLimits = { seconds: 3, memoryMb: 256 };
const maxResultBytes = 20 * 1024 * 1024;
/** Behind the server and everything else of the machine. */
const niceness = 10;

const Message = z.union([
  z.object({ tables: z.array(z.string()) }),
  z.object({ reads: z.array(z.string()).nullable() }),
  z.object({
    columns: z.array(z.object({ name: z.string(), type: z.string() })),
    rows: z.array(z.array(z.unknown())),
    truncated: z.boolean(),
  }),
  z.object({ error: z.string() }),
  z.object({ unavailable: z.string() }),
]);
type Message = z.output<typeof Message>;
export type QueryRows = Extract<Message, { rows: unknown }>;

/** The statements that create the topics' tables, and the folder with the footers of their files. */
export interface Prepared {
  views: string[];
  folder: string;
  /** Puts the columns that the query reads into these files; all for null. */
  fetch: (columns: string[] | null) => Promise<void>;
}

interface QueryOptions {
  sql: string;
  /** Rows of the result at most. */
  limit: number;
  /** Called with the tables that the query names. */
  prepare: (tables: string[]) => Promise<Prepared>;
  /** Ends the query when it is aborted. */
  signal?: AbortSignal;
  /** Override the limit and the program, for tests. */
  seconds?: number;
  program?: string;
}

const refuse = (message: string): ServiceError => invalid("sql", message);

/**
 * Runs a query in a process of its own, which is killed at its limits. Throws `invalid("sql")` with DuckDB's message or
 * the limit, `unavailable` where DuckDB cannot be loaded, and `cancelled` when the signal is aborted.
 */
export async function runQuery(options: QueryOptions): Promise<QueryRows> {
  const { sql, limit, prepare, signal, seconds } = options;
  requireCaller(signal);
  const child = fork(options.program ?? program, [], {
    // Empty: nothing of this process's settings may be read by a query.
    env: {} as NodeJS.ProcessEnv,
    execArgv: [],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    serialization: "advanced",
  });
  lowerPriority(child.pid);
  const messages = readMessages(child);
  const cancel = (): void => {
    child.kill("SIGKILL");
    messages.end(cancelled());
  };
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    const rows = { rows: limit, bytes: maxResultBytes };
    child.send({ sql, limits: { ...rows, memoryMb: databaseMb(queryLimits) } });
    const first = await messages.next({ ...queryLimits, ...(seconds && { seconds }) });
    if (!("tables" in first)) throw new Error("the query process answered out of order");
    const limits = { ...(first.tables.length > 0 ? queryLimits : topiclessLimits), ...(seconds && { seconds }) };
    const { fetch, ...prepared } = await prepare(first.tables);
    requireCaller(signal);
    const began = performance.now();
    child.send({ ...prepared, memoryMb: databaseMb(limits) });
    const second = await messages.next(limits);
    const used = (performance.now() - began) / 1_000;
    if (!("reads" in second)) throw new Error("the query process answered out of order");
    await fetch(second.reads);
    requireCaller(signal);
    child.send({});
    const last = await messages.next(limits, used);
    if (!("rows" in last)) throw new Error("the query process answered out of order");
    return last;
  } finally {
    signal?.removeEventListener("abort", cancel);
    child.kill("SIGKILL");
  }
}

/** What DuckDB may use of a query's memory; the rest is for the process around it. */
const databaseMb = ({ memoryMb }: QueryLimits): number => Math.round(memoryMb * 0.6);

/** Lets others of the machine go first. Where that is refused, or the process has ended already, all stays as it is. */
export function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) os.setPriority(pid, niceness);
  } catch {
    // It only runs less politely.
  }
}

/** DuckDB's message with why an element of a list has no column, and the way to see it. */
const explainElements = (message: string): string =>
  /column "[^"\n]*\[\d+\]/i.test(message) && /not found/i.test(message) ? `${message}\n\n${elementsNote}` : message;

const elementsNote =
  "Elements of lists have columns up to the 64th, as far as a recording had them, and none of lists with more than 256 " +
  "elements in the first message; recordings of earlier versions have more once they are processed again. Rules and the " +
  "tab Message of a recording see every element.";

interface Messages {
  /** Rejects at the limits; `used`: seconds of them that were taken before. */
  next: (limits: QueryLimits, used?: number) => Promise<Message>;
  /** Makes `next` reject, now and later. */
  end: (error: Error) => void;
}

/** Reads a child's messages one after another; errors and limits reject. */
function readMessages(child: ChildProcess): Messages {
  const received: Message[] = [];
  let settle: { resolve: (message: Message) => void; reject: (error: Error) => void } | undefined;
  let ended: Error | undefined;
  const end = (error: Error): void => {
    ended ??= error;
    settle?.reject(ended);
  };
  child.on("message", (raw) => {
    const parsed = Message.safeParse(raw);
    if (!parsed.success) return end(new Error("the query process sent something unknown"));
    const { data } = parsed;
    if ("error" in data) end(refuse(explainElements(data.error)));
    else if ("unavailable" in data) {
      logFor("query").warn({ error: data.unavailable }, "DuckDB cannot be loaded on this machine");
      end(
        new ServiceError("unavailable", {
          detail: "Queries are not available on this machine: DuckDB cannot be loaded.",
        }),
      );
    } else if (settle) settle.resolve(data);
    else received.push(data);
  });
  child.on("error", end);
  // Killed by the system, as when memory runs out, or by DuckDB itself.
  child.once("exit", () => end(refuse("The query needed more memory than it may use.")));
  const next = ({ seconds, memoryMb }: QueryLimits, used = 0): Promise<Message> =>
    new Promise<Message>((resolve, reject) => {
      const message = received.shift();
      if (message) return resolve(message);
      if (ended) return reject(ended);
      settle = { resolve, reject };
      const timer = setTimeout(
        () => end(refuse(`The query took longer than ${seconds} ${seconds === 1 ? "second" : "seconds"}.`)),
        Math.max(0, seconds - used) * 1_000,
      );
      const watch = setInterval(() => {
        if (child.pid !== undefined && residentMb(child.pid) > memoryMb) {
          end(refuse(`The query needed more than ${memoryMb} MB of memory.`));
        }
      }, 50);
      const done = (): void => {
        clearTimeout(timer);
        clearInterval(watch);
        settle = undefined;
      };
      settle = {
        resolve: (each) => (done(), resolve(each)),
        reject: (error) => (done(), reject(error)),
      };
    });
  return { next, end };
}
