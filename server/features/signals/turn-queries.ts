import { Prisma } from "@/server/platform/database/generated/client";
import { execute, type OnDb, prisma, query, transaction } from "@/server/platform/db";
import { text } from "@/server/platform/rows";

/** Queries that run at one time in the installation, whatever the number of its processes. */
const slots = 2;
/** The advisory lock of whoever gives turns. */
const lock = 72_707_371;

/** How long a turn lasts that its process does not extend, and a waiter counts that does not ask again. */
const lease = Prisma.sql`interval '15 seconds'`;
const seen = Prisma.sql`interval '2 seconds'`;
/** How long an organization keeps its place without asking, as after a refusal. */
const kept = Prisma.sql`interval '30 seconds'`;

/** How often a turn is to be extended, and asked for, in milliseconds. */
export const extendMs = 5_000;
export const askMs = 250;

const onDb: OnDb = { db: prisma };

/**
 * Asks for an organization's turn, which its first asking gives a place behind the others that wait. Resolves to whether
 * `holder` has it now: no query of the organization runs, and a slot is free for it after those in front of it.
 */
export function askForTurn(organizationId: string, holder: string): Promise<boolean> {
  return transaction(onDb, async (tx) => {
    await execute(tx, Prisma.sql`select pg_advisory_xact_lock(${lock})`);
    await execute(tx, Prisma.sql`delete from query_turns where greatest(kept_until, held_until) < now()`);
    await execute(
      tx,
      Prisma.sql`insert into query_turns as t (organization_id, position, kept_until, seen_until)
        select ${organizationId}, coalesce(max(position), 0) + 1, now() + ${kept}, now() + ${seen} from query_turns
        on conflict (organization_id) do update
        set kept_until = excluded.kept_until, seen_until = excluded.seen_until,
          position = coalesce(t.position, excluded.position)
        where t.held_until is null or t.held_until < now()`,
    );
    const taken = await query(
      tx,
      { organization_id: text },
      Prisma.sql`update query_turns t
        set holder = ${holder}, held_until = now() + ${lease}, position = null, kept_until = null, seen_until = null
        where organization_id = ${organizationId} and position is not null
          and (select count(*) from query_turns o where o.held_until >= now()
            or (o.position < t.position and o.seen_until >= now())) < ${slots}
        returning organization_id`,
    );
    return taken.length > 0;
  });
}

const ofHolder = (organizationId: string, holder: string) =>
  Prisma.sql`organization_id = ${organizationId} and holder = ${holder}`;

/** Keeps a turn for another while. */
export async function extendTurn(organizationId: string, holder: string): Promise<void> {
  const own = ofHolder(organizationId, holder);
  await execute(onDb, Prisma.sql`update query_turns set held_until = now() + ${lease} where ${own}`);
}

/** Gives a turn back. */
export async function endTurn(organizationId: string, holder: string): Promise<void> {
  await execute(onDb, Prisma.sql`delete from query_turns where ${ofHolder(organizationId, holder)}`);
}

/** Lets others go first until somebody of the organization asks again; it keeps its place. */
export async function stopAsking(organizationId: string): Promise<void> {
  await execute(
    onDb,
    Prisma.sql`update query_turns set seen_until = now() where organization_id = ${organizationId} and position is not null`,
  );
}
