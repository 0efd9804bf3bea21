import { z } from "zod";
import { nonBlank, pageFields, uid } from "@/domain/fields";
import { layoutTree } from "@/domain/layouts/layout-schema";

/** Layouts that a person keeps for themselves at most. */
export const maxOwnLayouts = 100;
/** Layouts that an organization keeps for all its members at most. */
export const maxSharedLayouts = 200;

export const LayoutUid = z.object({ uid: uid() });

const fields = {
  name: nonBlank(100),
  tree: layoutTree,
  /** Whether it is the organization's, for every member, or the caller's own. */
  shared: z.boolean(),
};

export const CreateLayout = z.object({ ...fields, shared: fields.shared.default(false) });
export type CreateLayout = z.output<typeof CreateLayout>;

export const UpdateLayout = z.object({
  uid: uid(),
  name: fields.name.optional(),
  tree: layoutTree.optional(),
  shared: fields.shared.optional(),
});
export type UpdateLayout = z.output<typeof UpdateLayout>;

export const LayoutFilters = z.object(pageFields());
export type LayoutFilters = z.output<typeof LayoutFilters>;

/** What a shared layout opens for: recordings of devices of a type, of all (null); `default_for` null for none. */
export const SetDefaultLayout = z.object({
  uid: uid(),
  default_for: z.object({ device_type: nonBlank(100).nullable() }).nullable(),
});
export type SetDefaultLayout = z.output<typeof SetDefaultLayout>;

/** The layout chosen for a recording; null for the suggested one. */
export const UseLayout = z.object({ recording: uid("recording"), layout: uid().nullable() });
export type UseLayout = z.output<typeof UseLayout>;

/** Which layout a recording opens with; `layout` where the address names one. */
export const OpenLayout = z.object({ recording: uid("recording"), layout: uid().optional() });
export type OpenLayout = z.output<typeof OpenLayout>;
