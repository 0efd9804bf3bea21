import { severities } from "@/domain/severity";
import { Prisma } from "@/server/platform/database/generated/client";

/** SQL that turns a rank, such as `max(severity_rank)`, into the severity; null for null. */
export const severityOfRank = (rank: Prisma.Sql): Prisma.Sql => Prisma.sql`(${[...severities]}::text[])[${rank} + 1]`;
