import { setTimeout as sleep } from "node:timers/promises";
import type { Product } from "@/bench/product";
import { queueJobs } from "@/server/platform/jobs/graphile";
import { sweeps } from "@/server/platform/jobs/schedule";
import { queryRows, text } from "@/server/platform/rows";

const byTheClock = sweeps.map(({ job }) => job.name);

/** Unfinished jobs, recordings, exports, messages and deliveries, one line each. */
async function unfinished({ database }: Product): Promise<string[]> {
  const open = await queryRows(
    database,
    { what: text },
    `select format('job %s (%s): attempt %s, %s, %s', j.id, j.task, j.attempts,
         case when j.locked_by is null then 'free' else 'taken' end, coalesce(j.last_error, 'no error')) as what
       from ${queueJobs} j where j.task <> all($1)
     union all select format('recording %s is processing', uid) from recordings where status = 'processing'
     union all select format('message %s is pending after %s attempts', uid, attempts) from notifications where status = 'pending'
     union all select format('delivery %s is pending after %s attempts', uid, attempts) from webhook_deliveries where status = 'pending'
     union all select format('export %s is %s', uid, status) from exports where status in ('requested', 'exporting')
     union all select format('dataset %s is being created', uid) from datasets where status = 'creating' and item_count > 0`,
    [byTheClock],
  );
  return open.map(({ what }) => what);
}

/** Waits until all work is finished, at most `seconds`. Resolves to what is still unfinished. */
export async function quiet(product: Product, seconds: number): Promise<string[]> {
  for (const end = performance.now() + seconds * 1_000; performance.now() < end; await sleep(200)) {
    if ((await unfinished(product)).length === 0) return [];
  }
  return unfinished(product);
}
