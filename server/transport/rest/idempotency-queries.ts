import { pool } from "@/server/platform/db";
import { int4, nullable, queryRows, text, type Wire } from "@/server/platform/rows";

/** What a key that is taken stands for. `status` and `sealed` are null while the first request runs. */
const takenRow = { body_hash: text, status: nullable(int4), sealed: nullable(text) };
export type Taken = Wire<typeof takenRow>;

// A key whose request neither ended nor was cancelled, because its process was killed, is free after two minutes.
const claimStatement = `
  insert into idempotency_keys as k (key, body_hash, attempt, running_until, expires_at)
  values ($1, $2, $3, now() + interval '2 minutes', now() + interval '24 hours')
  on conflict (key) do update set body_hash = excluded.body_hash, attempt = excluded.attempt, status = null, sealed = null,
    running_until = excluded.running_until, expires_at = excluded.expires_at
  where k.expires_at <= now() or (k.status is null and k.running_until <= now())
  returning k.key`;

/** Takes a key for one attempt. False while another has it. */
export async function claimKey(key: string, bodyHash: string, attempt: string): Promise<boolean> {
  const statement = { name: "idempotency-claim", text: claimStatement };
  return (await queryRows(pool, { key: text }, statement, [key, bodyHash, attempt])).length > 0;
}

/** The request that has a key; undefined when it has been released meanwhile. */
export async function readKey(key: string): Promise<Taken | undefined> {
  const statement = "select body_hash, status, sealed from idempotency_keys where key = $1";
  return (await queryRows(pool, takenRow, { name: "idempotency-read", text: statement }, [key]))[0];
}

/** Stores the response of an attempt that still has the key. */
export async function storeResponse(key: string, attempt: string, status: number, sealed: string): Promise<void> {
  const statement = "update idempotency_keys set status = $3, sealed = $4 where key = $1 and attempt = $2";
  await pool.query({ name: "idempotency-store", text: statement, values: [key, attempt, status, sealed] });
}

/** Frees the key of an attempt, whose response is not kept. */
export async function releaseKey(key: string, attempt: string): Promise<void> {
  const statement = "delete from idempotency_keys where key = $1 and attempt = $2";
  await pool.query({ name: "idempotency-release", text: statement, values: [key, attempt] });
}
