import { pool } from "@/server/platform/db";
import { cachedReader, metrics, onScrape, resultInTime } from "@/server/platform/metrics";
import { int4, queryRows, text } from "@/server/platform/rows";

const roles = ["web", "worker"] as const;

async function readEnds(): Promise<void> {
  const counted = { name: text, count: int4 };
  const found = await resultInTime(() =>
    Promise.all([
      queryRows(pool, counted, "select role as name, count(*)::int as count from deaf_processes group by role"),
      queryRows(pool, counted, "select task as name, count(*)::int as count from suspects group by task"),
    ]),
  );
  if (!found) return;
  const [ends, suspects] = found;
  metrics.endedProcesses.reset();
  // Zeros too: an increase is one from a value.
  for (const role of roles) metrics.endedProcesses.inc({ role }, 0);
  for (const { name, count } of ends) metrics.endedProcesses.inc({ role: name }, count);
  metrics.suspects.reset();
  for (const { name, count } of suspects) metrics.suspects.set({ task: name }, count);
}

/** Adds to the metrics how many processes were ended by their watchdogs, and what is suspected of it. */
export const observeEnds = (): void => onScrape("ends", cachedReader(readEnds));
