import type { EventType } from "@/domain/events/event-type";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute } from "@/server/platform/db";

/**
 * Adds types to those of a recording's events (recording_event_types), by which the recording list filters. Services
 * lock the recording's row for update before they delete events, and for key share before they create them, so that
 * this table always matches the events.
 */
export async function addTypes(tx: Ctx, recordingId: string, types: readonly EventType[]): Promise<void> {
  await execute(
    tx,
    Prisma.sql`insert into recording_event_types (organization_id, type, recording_id)
      select ${tx.organizationId}, type, ${recordingId} from unnest(${[...types]}::text[]) as type on conflict do nothing`,
  );
}

/** Deletes the types of which the recording has no event any more. */
export async function deleteUnusedTypes(tx: Ctx, recordingId: string): Promise<void> {
  await execute(
    tx,
    Prisma.sql`delete from recording_event_types k
      where k.recording_id = ${recordingId} and k.organization_id = ${tx.organizationId}
        and not exists (select 1 from events e where e.recording_id = k.recording_id and e.type = k.type)`,
  );
}
