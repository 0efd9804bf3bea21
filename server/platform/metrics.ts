import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import { processWide } from "@/server/platform/process-wide";

const short = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10];
const long = [0.01, 0.1, 1, 3, 10, 30, 100, 300, 1_000];

function create() {
  const registry = new Registry();
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name, help, labelNames, registers });
  const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge({ name, help, labelNames, registers });
  const histogram = <L extends string>(name: string, help: string, buckets: number[], ...labelNames: L[]) =>
    new Histogram({ name, help, buckets, labelNames, registers });
  // Only workers read the queue: in other processes it is neither up nor down.
  const queueUp = gauge("muster_queue_up", "1 while the queue of jobs could be read for these metrics");
  queueUp.remove();
  const partDays = gauge(
    "muster_metric_parts_days_ahead",
    "Days from now for which the tables of metrics have parts without a gap; reported by workers",
  );
  partDays.remove();
  const rollupsBehind = gauge(
    "muster_metric_rollups_behind_seconds",
    "How long ago the last rolled up five minutes of metrics are; reported by workers",
  );
  rollupsBehind.remove();
  const signalsBacklog = gauge(
    "muster_signals_backlog_bytes",
    "Bytes of recordings of the last 30 days whose signals are not written yet; reported by workers",
  );
  signalsBacklog.remove();
  const lastBackup = gauge(
    "muster_last_backup_timestamp_seconds",
    "When the last complete backup by `db backup` was finished, in seconds since 1970; 0 without one",
  );
  lastBackup.remove();
  return {
    registry,
    build: gauge(
      "muster_build_info",
      "1, with the version, the commit and the role of the process",
      ...(["version", "commit", "role"] as const),
    ),
    clockAhead: gauge(
      "muster_clock_ahead_seconds",
      "How far the clock of the machine is ahead of the database's; negative when it is behind",
    ),

    requestDuration: histogram(
      "muster_http_request_duration_seconds",
      "Time from the head of a request to the end of its response",
      short,
      ...(["area", "method", "status"] as const),
    ),
    requestsInFlight: gauge("muster_http_requests_in_flight", "Requests without a complete response"),
    unavailable: counter("muster_http_unavailable_total", "Responses with status 503, by cause", "cause"),
    throttled: counter("muster_rate_limit_refusals_total", "Requests beyond a limit, by the limit", "limit"),
    eventStreams: gauge("muster_event_streams", "Open streams of changes"),
    changesLag: gauge(
      "muster_changes_lag_seconds",
      "How long a change last took to reach the streams of this process; grows while it does not listen",
    ),
    organizationRequests: gauge(
      "muster_organization_requests_per_second",
      "Requests a second over the last minutes, of the 20 organizations that cause most load",
      "organization",
    ),
    organizationInFlight: gauge(
      "muster_organization_requests_in_flight",
      "Requests without a complete response on average over the last minutes, of the 20 organizations that cause most load",
      "organization",
    ),
    uploads: gauge("muster_uploads_in_progress", "Uploads to Muster's own store that are being received"),

    databaseUp: gauge("muster_database_up", "1 while the database responds to this process within two seconds"),
    connections: gauge("muster_database_connections", "Connections of the pool, by what they do", "state"),
    connectionsMax: gauge("muster_database_connections_max", "Connections that the pool may open"),
    connectionWaits: gauge("muster_database_waiting", "Callers that wait for a connection of the pool"),
    connectionRefusals: counter(
      "muster_database_refusals_total",
      "Connections of the pool that were refused to a caller, by cause",
      "cause",
    ),
    statementDuration: histogram(
      "muster_database_statement_duration_seconds",
      "Time until the response to a database statement",
      short,
    ),

    tableBytes: gauge("muster_table_bytes", "Bytes of tables with their indexes, by kind; reported by workers", "kind"),
    tableRows: gauge("muster_table_rows", "Rows of tables as PostgreSQL estimates them; reported by workers", "kind"),
    tableDeadRows: gauge(
      "muster_table_dead_rows",
      "Replaced and deleted rows that no vacuum has freed, as PostgreSQL estimates them; reported by workers",
      "kind",
    ),
    tableXidAge: gauge(
      "muster_table_xid_age",
      "Transactions since the oldest row that no vacuum has frozen; reported by workers",
      "kind",
    ),

    metricPartDays: partDays,
    rollupsBehind,
    lostPoints: counter(
      "muster_metric_points_lost_total",
      "Heartbeats whose metrics were not kept, because the tables had no part for their time",
    ),

    lastBackup,

    diskFree: gauge("muster_disk_free_bytes", "Free space where DATA_DIR is, for a process without privileges"),
    diskTotal: gauge("muster_disk_size_bytes", "Size of the file system where DATA_DIR is"),
    storageUnwritable: gauge(
      "muster_storage_unwritable",
      "1 while no file can be written where files are, or the bucket of STORAGE does not respond",
    ),

    bucketDuration: histogram(
      "muster_bucket_request_duration_seconds",
      "Time until a bucket responds, the installation's own or one of a customer; outcome: succeeded, refused, failed",
      short,
      ...(["store", "operation", "outcome"] as const),
    ),

    queueUp,
    jobs: gauge("muster_jobs", "Jobs in the queue, by state: waiting, scheduled, running, exhausted", "task", "state"),
    oldestJob: gauge("muster_job_oldest_seconds", "How long the oldest job has been due without running", "task"),
    jobDuration: histogram(
      "muster_job_duration_seconds",
      "Duration of runs of jobs, by outcome: succeeded, failed, superseded",
      long,
      ...(["task", "outcome"] as const),
    ),
    endedProcesses: counter(
      "muster_deaf_processes_ended_total",
      "Processes that were ended because their main thread did not answer, by role, of the whole installation",
      "role",
    ),
    suspects: gauge("muster_suspects", "What is read alone because a worker ended while it was read, by task", "task"),

    processingDuration: histogram(
      "muster_processing_duration_seconds",
      "Duration of processing a recording, from its bytes to its events",
      long,
    ),
    processedBytes: counter("muster_processing_bytes_total", "Bytes of processed recordings"),
    signalsBacklog,
    retentionSuccess: gauge(
      "muster_retention_last_success_timestamp_seconds",
      "When deletion by retention last came to its end, in seconds since 1970: the operator's, and the oldest of all organizations; reported by workers",
      "scope",
    ),
    retentionFailing: gauge(
      "muster_retention_failing",
      "Whose last deletion by retention failed: the operator's, and how many organizations'; reported by workers",
      "scope",
    ),
    processingCpu: counter("muster_processing_cpu_seconds_total", "Processor time of reading recordings"),

    deliveries: gauge("muster_deliveries_pending", "Deliveries to be sent, later retries included", "outbox"),
    oldestDelivery: gauge("muster_delivery_oldest_seconds", "How long the oldest delivery has been due", "outbox"),
    deliveryDuration: histogram(
      "muster_delivery_attempt_duration_seconds",
      "Duration of attempts to deliver, by outcome: delivered, retried, failed",
      short,
      ...(["outbox", "outcome"] as const),
    ),
  };
}

/**
 * The metrics of this process. Labels have few values: never an id, a name or an address, but the ids of at most 20
 * organizations. None is called `job`, which Prometheus itself adds to every series.
 */
export const metrics = processWide("metrics", create);

const readers = processWide("metricReaders", () => new Map<string, () => void | Promise<void>>());

/** Sets gauges whenever the metrics are read. A reader that fails or takes long leaves its gauges as they are. */
export function onScrape(name: string, read: () => void | Promise<void>): void {
  readers.set(name, read);
}

/** The longest that one reader delays a scrape, and that it waits for the database itself. */
const scrapeMs = 3_000;
const readingMs = 2_000;

/** Resolves to null when `work` fails or has no result within the limit. It is not interrupted. */
export async function resultInTime<T>(work: () => T | Promise<T>, limitMs = readingMs): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, limitMs, null);
  });
  const finished = (async () => work())().catch(() => null);
  return Promise.race([finished, timeout]).finally(() => clearTimeout(timer));
}

/** Calls `read` at most every five seconds, or `cacheMs`, and never twice at the same time. */
export function cachedReader(read: () => Promise<void>, cacheMs = 5_000): () => Promise<void> {
  let running: Promise<void> | null = null;
  let readAt = -Infinity;
  return async () => {
    if (!running && performance.now() - readAt < cacheMs) return;
    running ??= read().finally(() => {
      readAt = performance.now();
      running = null;
    });
    await running;
  };
}

/** Memory, CPU, event loop and garbage collection of the process. */
const collectProcess = (): unknown =>
  processWide("processMetrics", () => {
    collectDefaultMetrics({ register: metrics.registry });
    return true;
  });

/** The metrics as Prometheus reads them. Never fails because the database is away. */
export async function readMetrics(): Promise<{ contentType: string; text: string }> {
  collectProcess();
  await Promise.all([...readers.values()].map((read) => resultInTime(read, scrapeMs)));
  const { registry } = metrics;
  return { contentType: registry.contentType, text: await registry.metrics() };
}

/** Names this process in its metrics, and begins to measure it. */
export function describeProcess(version: string, commit: string | null, role: "web" | "worker"): void {
  collectProcess();
  metrics.build.set({ version, commit: commit ?? "unknown", role }, 1);
}
