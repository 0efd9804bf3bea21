import type { EventType } from "@/domain/events/event-type";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute } from "@/server/platform/db";

/**
 * Which types of events a recording has (recording_event_types): what the recording list filters by. Whoever deletes
 * events holds the recording's row for update, whoever writes them for key share, so the table never tells another
 * story than the events.
 */
export async function noteTypes(tx: Ctx, recordingId: string, types: readonly EventType[]): Promise<void> {
  await execute(
    tx,
    Prisma.sql`insert into recording_event_types (organization_id, type, recording_id)
      select ${tx.organizationId}, type, ${recordingId} from unnest(${[...types]}::text[]) as type on conflict do nothing`,
  );
}

/** Forgets types of which the last event went. */
export async function forgetGoneTypes(tx: Ctx, recordingId: string): Promise<void> {
  await execute(
    tx,
    Prisma.sql`delete from recording_event_types k
      where k.recording_id = ${recordingId} and k.organization_id = ${tx.organizationId}
        and not exists (select 1 from events e where e.recording_id = k.recording_id and e.type = k.type)`,
  );
}
