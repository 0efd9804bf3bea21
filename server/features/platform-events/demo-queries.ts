import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";

/** The text of a payload's member; null for one that is absent or no text. */
export const memberText = (payload: object, member: string): string | null => {
  const value = (payload as Record<string, unknown>)[member];
  return typeof value === "string" ? value : null;
};

const tables = { project_uid: "projects", dataset_uid: "datasets", export_uid: "exports" } as const;

/**
 * Whether an event is about the demo fleet. Its events go to the demo's own webhook and agent only, and those receive
 * nothing else: an agent of the demo never decides about results of the organization's own.
 */
export function isAboutDemo(ctx: Ctx, payload: object): Prisma.Sql {
  for (const [member, table] of Object.entries(tables)) {
    const uid = memberText(payload, member);
    if (uid === null) continue;
    return Prisma.sql`coalesce((select about.demo from ${Prisma.raw(table)} about
      where about.uid = ${uid} and about.organization_id = ${ctx.organizationId}), false)`;
  }
  return Prisma.sql`false`;
}
