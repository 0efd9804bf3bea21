import { z } from "zod";
import { OrganizationSettings } from "@/domain/organizations/schema";
import { roles } from "@/domain/permissions";

export const OrganizationResource = z.object({
  uid: z.string(),
  name: z.string(),
  slug: z.string(),
  logo_url: z.string().nullable(),
  member_count: z.int(),
  /** Additive: the caller's own role there, and the organization's settings. */
  role: z.enum(roles),
  read_only: z.boolean(),
  settings: OrganizationSettings,
  /** Additive: when it will be deleted, which only its owner sees; null unless they asked for that. */
  deletes_at: z.string().nullable(),
  created_at: z.string(),
});
export type OrganizationResource = z.output<typeof OrganizationResource>;

/** An organization that is being deleted. Until `deletes_at` its owner can take that back. */
export const DeletedOrganization = OrganizationResource.pick({ uid: true, name: true, slug: true }).extend({
  deletes_at: z.string(),
});
export type DeletedOrganization = z.output<typeof DeletedOrganization>;
