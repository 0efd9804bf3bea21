import { logoPath, logoSide, maxLogoBytes, ownLogoPath } from "@/domain/organizations/logo";
import type { SetLogo } from "@/domain/organizations/schema";
import { audit } from "@/server/features/audit/service";
import { lockMembership, requireUser } from "@/server/features/membership/access-service";
import type { OrganizationResource } from "@/server/features/organizations/resource";
import { getOrganization } from "@/server/features/organizations/service";
import type { Ctx, PersonCtx } from "@/server/platform/context";
import { transaction } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { invalid } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { objectStore } from "@/server/platform/storage/current";
import { isKey } from "@/server/platform/storage/keys";
import { ObjectMissing } from "@/server/platform/storage/store";
import { uuidv7 } from "@/server/platform/uid";

const logoKey = (organizationUid: string, logo: string): string => `organizations/${organizationUid}/logo/${logo}`;

const signature = Buffer.from("89504e470d0a1a0a", "hex");

/** The bytes of a PNG of the right size, by its header. Throws `invalid("png")` for anything else. */
function readPng(base64: string): Buffer {
  const bytes = Buffer.from(base64, "base64");
  const isPng =
    bytes.length >= 45 &&
    bytes.subarray(0, 8).equals(signature) &&
    bytes.toString("latin1", 12, 16) === "IHDR" &&
    bytes.toString("latin1", bytes.length - 8, bytes.length - 4) === "IEND";
  if (!isPng) throw invalid("png", "Upload a PNG.");
  if (bytes.length > maxLogoBytes) throw invalid("png", `A logo may have at most ${maxLogoBytes / 1024} kB.`);
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const fits = (pixels: number) => pixels >= 1 && pixels <= logoSide;
  if (!fits(width) || !fits(height)) throw invalid("png", `A logo may have at most ${logoSide} × ${logoSide} pixels.`);
  return bytes;
}

/** Stores the logo and makes it that of the organization; null removes it. Throws `invalid("png")`. */
export async function setLogo(ctx: Ctx, slug: string, { png }: SetLogo): Promise<OrganizationResource> {
  const bytes = png === null ? null : readPng(png);
  const logo = uuidv7();
  if (bytes) {
    const key = logoKey(ctx.organizationId, logo);
    await objectStore().put(key, new Blob([new Uint8Array(bytes)]).stream(), bytes.length);
  }
  return transaction(ctx, async (tx) => {
    const { name } = await lockMembership(tx, "admin");
    const before = await getOrganization(tx, slug);
    const logoUrl = bytes ? `${env.PUBLIC_URL}${logoPath(tx.organizationId, logo)}` : null;
    await tx.db.organization.update({ where: { uid: tx.organizationId }, data: { logoUrl } });
    const [, , , replaced] = ownLogoPath(before.logo_url)?.split("/") ?? [];
    const replacedKey = logoKey(tx.organizationId, replaced ?? "");
    if (isKey(replacedKey)) await enqueue(tx, jobs.deleteStoredObjects, { prefix: replacedKey });
    await audit(tx, {
      action: "organization.updated",
      targetType: "organization",
      targetId: tx.organizationId,
      targetName: name,
      before: { logo_url: before.logo_url },
      after: { logo_url: logoUrl },
    });
    return getOrganization(tx, slug);
  });
}

/** The bytes of an organization's logo, for its members; null when there is none that the person may see. */
export async function readLogo(person: PersonCtx, organizationUid: string, logo: string): Promise<Uint8Array | null> {
  const key = logoKey(organizationUid, logo);
  if (!isKey(key)) return null;
  const { uid: userId } = requireUser(person);
  if ((await person.db.membership.count({ where: { userId, organizationId: organizationUid } })) === 0) return null;
  try {
    return await objectStore().readBytes(key, 0, maxLogoBytes);
  } catch (error) {
    if (error instanceof ObjectMissing) return null;
    throw error;
  }
}
