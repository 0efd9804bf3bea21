import { exactIsoFromNs } from "@/domain/time/nanoseconds";
import { getDevice } from "@/server/features/devices/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { int4, nullable, text } from "@/server/platform/rows";

/** Recordings, the newest first, among which one with a picture is looked for. */
const recordingsRead = 50;

const pictureRow = {
  recording_id: text,
  recording_name: text,
  topic: nullable(text),
  time_ns: nullable(text),
  offset: nullable(int4),
  length: nullable(int4),
  storage_key: nullable(text),
};

/** A small picture of a camera, where it lies among those of its recording. */
export interface DevicePicture {
  recording_id: string;
  recording_name: string;
  topic: string;
  /** When it was taken, to the nanosecond. */
  at: string;
  version: string;
  offset: number;
  length: number;
}

/** The newest picture among the last recordings of a device; null for none. Throws `not_found`. */
export async function readDevicePicture(ctx: Ctx, uid: string): Promise<DevicePicture | null> {
  await getDevice(ctx, uid);
  const [row] = await query(
    ctx,
    pictureRow,
    Prisma.sql`with last as materialized (
        select uid, name, started_at from recordings
        where device_id = ${uid} and organization_id = ${ctx.organizationId} and started_at is not null
        order by started_at desc, uid desc limit ${recordingsRead}
      ), film as materialized (
        select l.uid, l.name, f.storage_key, f.cameras from last l join filmstrips f on f.recording_id = l.uid
          and f.organization_id = ${ctx.organizationId} and f.storage_key is not null
        order by l.started_at desc, l.uid desc limit 1
      )
      select f.uid as recording_id, f.name as recording_name, c.value->>'topic' as topic, p.picture->>'time_ns' as time_ns,
        (p.picture->>'offset')::int as "offset", (p.picture->>'length')::int as length, f.storage_key
      from film f cross join jsonb_array_elements(f.cameras) c cross join lateral (select c.value->'frames'->-1) p(picture)
      where p.picture is not null
      order by (p.picture->>'time_ns')::numeric desc limit 1`,
  );
  if (!row?.storage_key || row.topic === null || row.time_ns === null || row.offset === null || row.length === null)
    return null;
  const { recording_id, recording_name, topic, offset, length, storage_key: key } = row;
  const at = exactIsoFromNs(BigInt(row.time_ns));
  return { recording_id, recording_name, topic, at, version: key.slice(key.lastIndexOf("/") + 1), offset, length };
}
