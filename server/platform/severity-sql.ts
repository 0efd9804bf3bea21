import { severities } from "@/domain/severity";
import { Prisma } from "@/server/platform/database/generated/client";

/** The severity of a rank in a statement, such as `max(severity_rank)`; null of null. */
export const severityOfRank = (rank: Prisma.Sql): Prisma.Sql => Prisma.sql`(${[...severities]}::text[])[${rank} + 1]`;
