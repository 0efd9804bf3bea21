import { Command } from "commander";
import { CommandError } from "@/cli/client/api-client";
import { parseLimit } from "@/cli/client/input";
import { printTable, toCell } from "@/cli/client/table";
import { withDatabase } from "@/cli/with-database";
import type { ListedJob } from "@/server/platform/jobs/graphile";

interface ListOptions {
  failed?: boolean;
  waiting?: boolean;
  task?: string;
  after: string;
  limit: string;
  json?: boolean;
}

/** What a job works on: the uids in its payload. Other members may be personal. */
const listSubjects = ({ payload }: ListedJob): Record<string, unknown> =>
  Object.fromEntries(Object.entries(payload).filter(([name]) => /(Id|Uid)$/.test(name)));

function checkIds(ids: readonly string[]): void {
  const wrong = ids.find((id) => !/^\d{1,18}$/.test(id));
  if (wrong !== undefined) throw new CommandError(`"${wrong}" is not the id of a job. List them with: jobs list`);
}

async function list({ failed, waiting, task, after, limit: given, json }: ListOptions): Promise<void> {
  if (failed && waiting) throw new CommandError("Give --failed or --waiting, not both.");
  checkIds([after]);
  const limit = parseLimit(given);
  await withDatabase(async () => {
    const { pool } = await import("@/server/platform/db");
    const { listJobs } = await import("@/server/platform/jobs/graphile");
    const { scrubSecrets } = await import("@/server/platform/log");
    const only = failed ? "failed" : waiting ? "waiting" : undefined;
    const jobs = (await listJobs(pool, { only, task, after, limit })).map((job) => ({
      ...job,
      payload: listSubjects(job),
      last_error: job.last_error && scrubSecrets(job.last_error),
    }));
    if (json) return console.log(JSON.stringify(jobs, null, 2));
    printTable(
      ["ID", "TASK", "STATE", "ATTEMPTS", "RUNS AT", "LAST ERROR"],
      jobs.map(({ id, task: name, state, attempts, max_attempts: max, run_at: at, last_error: error }) => [
        id,
        name,
        state,
        `${attempts}/${max}`,
        at,
        toCell(error),
      ]),
    );
    if (jobs.length === limit) console.error(`There may be more: --after ${jobs.at(-1)?.id}`);
  });
}

async function retry(ids: string[], { task }: { task?: string }): Promise<void> {
  if (ids.length > 0 === (task !== undefined)) throw new CommandError("Give ids of jobs, or --task.");
  checkIds(ids);
  await withDatabase(async () => {
    const { pool } = await import("@/server/platform/db");
    const { retryJobs } = await import("@/server/platform/jobs/graphile");
    const retried = await retryJobs(pool, task === undefined ? { ids } : { task });
    console.error(`${retried.length} ${retried.length === 1 ? "job runs" : "jobs run"} again.`);
    const left = ids.filter((id) => !retried.includes(id));
    if (left.length > 0) throw new CommandError(`Not in the queue, or running: ${left.join(", ")}`);
  });
}

export const jobsCommand = (): Command =>
  new Command("jobs")
    .description("See the jobs of this installation, and run failed ones again.")
    .addCommand(
      new Command("list")
        .description("List the jobs in the queue, in the order in which they were added.")
        .option("--failed", "only those whose last attempt failed")
        .option("--waiting", "only those that are due and do not run yet")
        .option("--task <name>", "only those of a task, such as recordings.process")
        .option("--after <id>", "only those with higher ids", "0")
        .option("--limit <count>", "at most so many", "100")
        .option("--json", "print JSON")
        .action(list),
    )
    .addCommand(
      new Command("retry")
        .description("Run jobs again immediately, with all of their attempts.")
        .argument("[ids...]", "ids of jobs")
        .option("--task <name>", "every job of a task whose last attempt failed")
        .action(retry),
    );
