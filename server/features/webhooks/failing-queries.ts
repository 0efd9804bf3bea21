import { Prisma } from "@/server/platform/database/generated/client";
import { uidFloor } from "@/server/platform/uid";

/** Deliveries `d` whose last attempt failed and that were not sent again; those that are retried are among them. */
export const isFailing = Prisma.sql`d.error is not null and not d.repeated`;

/** Why a delivery `d` fails: the receiver's status, or one of `faultCauses`. */
export const failureCause = Prisma.sql`case
  when d.response_status is not null then d.response_status::text
  when d.error like 'no %in time' then 'timeout'
  when d.error like 'TLS failed%' then 'tls'
  when d.error like 'connection failed%' then 'connect'
  when d.error like 'the name %' then 'dns'
  when d.error like 'blocked address%' then 'blocked'
  when d.error like 'the connection broke off%' then 'broken'
  when d.error like '%turned off.' or d.error like '%was deleted.' then 'turned_off'
  else 'other' end`;

interface Period {
  since?: Date | undefined;
  until?: Date | undefined;
}

/** Milliseconds by which the time in a uid may differ from the time of creation: the length of a transaction. */
const marginMs = 10 * 60_000;

/** Deliveries `d` created in a period. Uids sort by creation, so that every index that ends with them carries it. */
export const createdIn = ({ since, until }: Period): Prisma.Sql[] => [
  ...(since
    ? [Prisma.sql`d.uid >= ${uidFloor(null, since.getTime() - marginMs)} and d.created_at >= ${since}::timestamptz`]
    : []),
  ...(until
    ? [Prisma.sql`d.uid < ${uidFloor(null, until.getTime() + marginMs)} and d.created_at < ${until}::timestamptz`]
    : []),
];
