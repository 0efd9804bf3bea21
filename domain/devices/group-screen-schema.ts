import { z } from "zod";
import { ShownRows } from "@/domain/demo/schema";
import { DeviceListFilters } from "@/domain/devices/list-schema";
import { list, nonBlank, ordered, pageFields, text, uid } from "@/domain/fields";
import { maxNamed } from "@/domain/limits";

/** The groups of one level, or, with a search, those of all levels. */
export const GroupScreenFilters = ShownRows.extend({
  /** The group whose own groups are listed; absent for the outermost. */
  parent: text(100).optional(),
  /** Part of the name. */
  search: text(255).optional(),
  ordering: ordered(["name"]),
  ...pageFields(),
});
export type GroupScreenFilters = z.output<typeof GroupScreenFilters>;

/** Which devices to add to a group, or to take out of it: some, or all that match filters of the device list. */
export const ChangeGroupDevices = z.object({
  uid: uid("group"),
  device_ids: list(uid("device"), maxNamed, 1).optional(),
  filters: DeviceListFilters.omit({ limit: true, cursor: true, ordering: true }).optional(),
});
export type ChangeGroupDevices = z.output<typeof ChangeGroupDevices>;

/** Where groups can be moved to: those with this in their name. */
export const GroupTargets = z.object({ search: text(255).optional(), moving: nonBlank(100).optional() });
export type GroupTargets = z.output<typeof GroupTargets>;
