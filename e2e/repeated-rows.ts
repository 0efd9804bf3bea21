import { inDatabase } from "./data-loop";

/** Many rows like one that the product made, for what is only many; each is written as fast as one. */

/** Adds alerts like one that its rule made, each an hour before the last. */
export const repeatAlert = (uid: string, times: number): Promise<void> =>
  inDatabase(
    `insert into alerts select (jsonb_populate_record(alerts, jsonb_build_object(
       'uid', 'alt_' || gen_random_uuid(), 'dedupe_key', dedupe_key || n, 'triggered_at', triggered_at - n * interval '1 h',
       'triggered_ns', triggered_ns - n * 3600000000000))).* from alerts, generate_series(1, $2::int) n where uid = $1`,
    [uid, times],
  );

/** Adds devices like one that was registered, named after it with a number. */
export const repeatDevice = (uid: string, times: number): Promise<void> =>
  inDatabase(
    `insert into devices select (jsonb_populate_record(devices, jsonb_build_object(
       'uid', 'dev_' || gen_random_uuid(), 'number', nextval('devices_number_seq'), 'token_hash', token_hash || n, 'name', name || '-' || n))).*
       from devices, generate_series(1, $2::int) n where uid = $1`,
    [uid, times],
  );
