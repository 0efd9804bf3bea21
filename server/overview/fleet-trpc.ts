import { maintainDevices, tagDevices } from "@/server/overview/device-bulk";
import { firmwareSpread, groupDevices } from "@/server/overview/device-groups";
import { deviceRules, metadataChanges } from "@/server/overview/device-rules";
import { deviceTimeline } from "@/server/overview/device-timeline";
import { listDeviceOverviews } from "@/server/overview/devices";
import {
  DeviceListFilters,
  GroupDevices,
  MaintainDevices,
  OneDevice,
  TagDevices,
  TimelineRequest,
} from "@/server/overview/schema";
import { procedure, router } from "@/server/trpc/init";

/** Devices together with what other domains know of them: the dashboard's device screens. */
export const fleet = router({
  devices: procedure.input(DeviceListFilters).query(({ ctx, input }) => listDeviceOverviews(ctx.ctx, input)),
  groups: procedure.input(GroupDevices).query(({ ctx, input }) => groupDevices(ctx.ctx, input.by)),
  firmware: procedure.query(({ ctx }) => firmwareSpread(ctx.ctx)),
  tag: procedure.input(TagDevices).mutation(({ ctx, input }) => tagDevices(ctx.ctx, input)),
  maintain: procedure.input(MaintainDevices).mutation(({ ctx, input }) => maintainDevices(ctx.ctx, input)),
  timeline: procedure
    .input(TimelineRequest)
    .query(({ ctx, input }) => deviceTimeline(ctx.ctx, input.uid, input.from, input.to)),
  rules: procedure.input(OneDevice).query(({ ctx, input }) => deviceRules(ctx.ctx, input.uid)),
  metadataChanges: procedure.input(OneDevice).query(({ ctx, input }) => metadataChanges(ctx.ctx, input.uid)),
});
