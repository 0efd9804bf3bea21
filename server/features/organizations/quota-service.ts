import { audit } from "@/server/features/audit/service";
import { getStorageUse, type StorageUse } from "@/server/features/uploads/quota-service";
import { systemContext } from "@/server/platform/context";
import { prisma, transaction } from "@/server/platform/db";

/** The storage of an organization: what it uses, and what the operator allows; null for any number of bytes. */
export interface Quota extends StorageUse {
  quota_bytes: number | null;
}

const toNumber = (bytes: bigint | null): number | null => (bytes === null ? null : Number(bytes));

/** The storage of an organization. */
export async function getQuota(organizationId: string): Promise<Quota> {
  const [use, organization] = await Promise.all([
    getStorageUse({ db: prisma }, organizationId),
    prisma.organization.findUniqueOrThrow({ where: { uid: organizationId }, select: { quotaBytes: true } }),
  ]);
  return { ...use, quota_bytes: toNumber(organization.quotaBytes) };
}

/** The uid of the organization with that slug, or null. For the command line only. */
export const findOrganization = (slug: string): Promise<{ uid: string; slug: string } | null> =>
  prisma.organization.findUnique({ where: { slug }, select: { uid: true, slug: true } });

/** Sets how many bytes an organization may store; null for any number. For the command line only. */
export async function setQuota(organizationId: string, bytes: bigint | null, by: string): Promise<void> {
  await transaction(systemContext(prisma, organizationId, by), async (tx) => {
    const where = { uid: organizationId };
    const before = await tx.db.organization.findUniqueOrThrow({ where, select: { quotaBytes: true, name: true } });
    if (before.quotaBytes === bytes) return;
    await tx.db.organization.update({ where, data: { quotaBytes: bytes } });
    await audit(tx, {
      action: "organization.quota_changed",
      targetType: "organization",
      targetId: organizationId,
      targetName: before.name,
      before: { quota_bytes: toNumber(before.quotaBytes) },
      after: { quota_bytes: toNumber(bytes) },
    });
  });
}
