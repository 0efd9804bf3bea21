import { createHash } from "node:crypto";
import { z } from "zod";
import type { Product } from "@/bench/product";
import type { Fleet } from "@/faults/fleet";
import type { Ledger } from "@/faults/load";
import type { AlertReceiver } from "@/faults/receiver";
import { promise } from "@/faults/verdict";
import { int4, int8, jsonb, queryRows, text } from "@/server/platform/rows";

interface Evidence {
  product: Product;
  fleet: Fleet;
  ledger: Ledger;
  receiver: AlertReceiver;
  /** How often the worker or the database was killed, and the messages that were in flight then. */
  cuts: number;
  cutOff: number;
}

/** Share of messages that may be duplicated. Below `fewAlerts`, as many as each kill can cut off. */
const maxDuplicateShare = 0.1;
const fewAlerts = 200;
/** How many messages one sender has in flight to one channel. */
const maxInFlight = 8;

/** Compares what the product stores with what it acknowledged. */
export async function verify(evidence: Evidence): Promise<void> {
  await verifyRecordings(evidence);
  await verifyBytes(evidence);
  await verifyEvents(evidence);
  await verifyAlerts(evidence);
  await verifyMessages(evidence);
}

async function verifyRecordings({ product, ledger }: Evidence): Promise<void> {
  const found = await queryRows(
    product.database,
    { uid: text, status: text, device_id: text, message_count: int8, topics: jsonb(z.record(z.string(), z.number())) },
    `select r.uid, r.status, r.device_id, r.message_count,
        coalesce((select jsonb_object_agg(t.name, t.message_count) from topics t where t.recording_id = r.uid), '{}') as topics
      from recordings r`,
  );
  const byUid = new Map(found.map((row) => [row.uid, row]));
  const missing = [...ledger.uploaded.keys(), ...ledger.created].filter((uid) => !byUid.has(uid));
  promise(`every one of ${ledger.uploaded.size + ledger.created.size} acknowledged recordings is there`, missing);

  const unready: string[] = [];
  const different: string[] = [];
  for (const [uid, { made, device }] of ledger.uploaded) {
    const row = byUid.get(uid);
    if (row?.status !== "ready") unready.push(`${uid} is ${row?.status}`);
    const wanted = Object.entries(made.topics);
    const same =
      wanted.every(([topic, count]) => row?.topics[topic] === count) &&
      Object.keys(row?.topics ?? {}).length === wanted.length;
    const total = wanted.reduce((sum, [, count]) => sum + count, 0);
    if (!same || Number(row?.message_count) !== total || row?.device_id !== device)
      different.push(`${uid}: ${JSON.stringify(row)}`);
  }
  const stuck = await queryRows(
    product.database,
    { uid: text, status: text },
    `select r.uid, r.status from recordings r join upload_sessions s on s.recording_id = r.uid
      where s.status = 'finalized' and r.status <> 'ready'`,
  );
  promise("every finished upload is ready, none stuck", [
    ...unready,
    ...stuck.map(({ uid, status }) => `${uid} is ${status}`),
  ]);
  promise("no topic is missing, doubled or miscounted", different);
}

/** Downloads every confirmed file and compares its bytes. */
async function verifyBytes({ product, ledger }: Evidence): Promise<void> {
  const faults: string[] = [];
  const left = [...ledger.uploaded];
  const lane = async () => {
    for (let entry = left.pop(); entry; entry = left.pop()) {
      const [uid, { made }] = entry;
      try {
        const files = await product.call<{ results: { download_url: string }[] }>(
          "GET",
          `/fleet/recordings/${uid}/files/`,
        );
        const response = await fetch(new URL(files.results[0]?.download_url ?? "", product.url));
        const bytes = Buffer.from(await response.arrayBuffer());
        const sum = createHash("sha256").update(bytes).digest("hex");
        if (sum !== made.sha256) faults.push(`${uid}: ${bytes.length} other bytes (${response.status})`);
      } catch (error) {
        faults.push(`${uid}: ${String(error)}`);
      }
    }
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
  promise(`the bytes of ${ledger.uploaded.size} confirmed files are those that were sent`, faults);
}

async function verifyEvents({ product, ledger }: Evidence): Promise<void> {
  const rows = await queryRows(
    product.database,
    { mark: text, recording_id: text, count: int4, different: int4, tagged: int4 },
    `select e.label as mark, e.recording_id, count(*)::int as count, count(distinct e.metadata->>'of')::int as different,
        (select count(*)::int from event_tags t where t.tag = e.label) as tagged
      from events e where e.source = 'api_key' group by 1, 2`,
  );
  const found = new Map(rows.map((row) => [row.mark, row]));
  const isComplete = (mark: string, { recording, count }: { recording: string; count: number }) => {
    const row = found.get(mark);
    return row?.count === count && row.different === count && row.tagged === count && row.recording_id === recording;
  };
  const lost = [...ledger.acknowledged].filter(([mark, wanted]) => !isComplete(mark, wanted));
  const total = [...ledger.acknowledged.values()].reduce((sum, { count }) => sum + count, 0);
  const describe = (list: typeof lost) =>
    list.map(([mark, { count }]) => `${mark}: ${count} sent, ${JSON.stringify(found.get(mark))}`);
  promise(`each of ${total} acknowledged events is there once`, describe(lost));
  const partial = [...ledger.unknown].filter(([mark, wanted]) => found.has(mark) && !isComplete(mark, wanted));
  promise(`each of ${ledger.unknown.size} requests that got no response did all or nothing`, describe(partial));
  const unexpected = rows.filter(({ mark }) => !ledger.acknowledged.has(mark) && !ledger.unknown.has(mark));
  promise(
    "no event exists that was not sent",
    unexpected.map(({ mark }) => mark),
  );
}

/** Compares the results of rules with those expected from the uploaded recordings. */
async function verifyAlerts({ product, fleet, ledger }: Evidence): Promise<void> {
  const alerts = await queryRows(
    product.database,
    { key: text, count: int4, occurrences: int4 },
    `select rule_id || ' ' || device_id || ' ' || recording_id as key, count(*)::int as count,
        max(occurrence_count)::int as occurrences
      from alerts where rule_id = any($1) group by 1`,
    [Object.values(fleet.rules)],
  );
  const events = await queryRows(
    product.database,
    { key: text, count: int4 },
    "select rule_id || ' ' || recording_id as key, count(*)::int as count from events where source = 'rule' and rule_id = any($1) group by 1",
    [Object.values(fleet.rules)],
  );
  const wantedAlerts = new Map<string, number>();
  const wantedEvents = new Map<string, number>();
  const hits: Record<string, number> = { [fleet.rules.hot]: 0, [fleet.rules.veryHot]: 0, [fleet.rules.never]: 0 };
  for (const [uid, { made, device }] of ledger.uploaded) {
    for (const [rule, count] of [
      [fleet.rules.hot, made.hot],
      [fleet.rules.veryHot, made.veryHot],
    ] as const) {
      hits[rule] = (hits[rule] ?? 0) + count;
      if (count > 0) wantedAlerts.set(`${rule} ${device} ${uid}`, count);
    }
    if (made.hot > 0) wantedEvents.set(`${fleet.rules.hot} ${uid}`, made.hot);
  }
  const found = new Map(alerts.map((row) => [row.key, row]));
  const off = [...wantedAlerts].filter(
    ([key, count]) => found.get(key)?.count !== 1 || found.get(key)?.occurrences !== count,
  );
  const extra = alerts.filter(({ key }) => !wantedAlerts.has(key));
  promise(`each of ${wantedAlerts.size} expected alerts is there once, and no other`, [
    ...off.map(([key, count]) => `${key}: ${count} expected, ${JSON.stringify(found.get(key))}`),
    ...extra.map(({ key }) => `${key}: not expected`),
  ]);
  const foundEvents = new Map(events.map(({ key, count }) => [key, count]));
  const keys = new Set([...wantedEvents.keys(), ...foundEvents.keys()]);
  const offEvents = [...keys].filter((key) => wantedEvents.get(key) !== foundEvents.get(key));
  promise(
    "each rule's events are there once",
    offEvents.map((key) => `${key}: ${wantedEvents.get(key)} expected, ${foundEvents.get(key)}`),
  );
  const counts = await queryRows(
    product.database,
    { uid: text, hit_count: int8 },
    "select uid, hit_count from rules where uid = any($1)",
    [Object.values(fleet.rules)],
  );
  const offCounts = counts.filter(({ uid, hit_count }) => Number(hit_count) !== hits[uid]);
  promise(
    "each rule counts every hit once",
    offCounts.map(({ uid, hit_count }) => `${uid}: ${hit_count} instead of ${hits[uid]}`),
  );
}

async function verifyMessages({ product, fleet, receiver, cuts, cutOff }: Evidence): Promise<void> {
  const alerts = await queryRows(product.database, { uid: text }, "select uid from alerts where rule_id = any($1)", [
    Object.values(fleet.rules),
  ]);
  const unreported = alerts.filter(({ uid }) => !receiver.triggered.has(uid)).map(({ uid }) => uid);
  const arrived = alerts.reduce((sum, { uid }) => sum + (receiver.triggered.get(uid) ?? 0), 0);
  const duplicates = arrived - (alerts.length - unreported.length);
  promise(`each of ${alerts.length} alerts was reported`, unreported);
  const max = alerts.length < fewAlerts ? cuts * maxInFlight : Math.floor(alerts.length * maxDuplicateShare);
  const share = ((100 * duplicates) / Math.max(1, alerts.length)).toFixed(1);
  promise(
    `${duplicates} messages (${share} %) were duplicated, at most ${max} may; ${cutOff} were in flight at ${cuts} kills`,
    duplicates > max ? [`${duplicates} of ${alerts.length}`] : [],
  );
}
