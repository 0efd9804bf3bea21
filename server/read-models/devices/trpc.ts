import { ShownRows } from "@/domain/demo/schema";
import { DeviceListFilters } from "@/domain/devices/list-schema";
import {
  DeviceAlerts,
  DeviceChanges,
  GroupDevices,
  MaintainDevices,
  OneDevice,
  TagDevices,
  TimelineRequest,
} from "@/domain/overview/schema";
import { tagDevices } from "@/server/features/devices/bulk-service";
import { maintainDevices } from "@/server/features/maintenance/service";
import { listDeviceAlerts } from "@/server/read-models/devices/device-alerts";
import { listDeviceChanges } from "@/server/read-models/devices/device-changes";
import { firmwareSpread, groupDevices } from "@/server/read-models/devices/device-groups";
import { listDeviceOverviews } from "@/server/read-models/devices/device-list";
import { readDevicePicture } from "@/server/read-models/devices/device-picture";
import { deviceRules, metadataChanges } from "@/server/read-models/devices/device-rules";
import { deviceTimeline } from "@/server/read-models/devices/device-timeline";
import { memberProcedure, router } from "@/server/transport/trpc/init";

/** The dashboard's device screens, which join devices with other features. */
export const fleet = router({
  devices: memberProcedure.input(DeviceListFilters).query(({ ctx, input }) => listDeviceOverviews(ctx.ctx, input)),
  groups: memberProcedure.input(GroupDevices).query(({ ctx, input }) => groupDevices(ctx.ctx, input.by, input)),
  firmware: memberProcedure.input(ShownRows).query(({ ctx, input }) => firmwareSpread(ctx.ctx, input)),
  tag: memberProcedure.input(TagDevices).mutation(({ ctx, input }) => tagDevices(ctx.ctx, input)),
  maintain: memberProcedure.input(MaintainDevices).mutation(({ ctx, input }) => maintainDevices(ctx.ctx, input)),
  timeline: memberProcedure
    .input(TimelineRequest)
    .query(({ ctx, input }) => deviceTimeline(ctx.ctx, input.uid, input.from, input.to)),
  alerts: memberProcedure.input(DeviceAlerts).query(({ ctx, input }) => listDeviceAlerts(ctx.ctx, input)),
  changes: memberProcedure.input(DeviceChanges).query(({ ctx, input }) => listDeviceChanges(ctx.ctx, input)),
  picture: memberProcedure.input(OneDevice).query(({ ctx, input }) => readDevicePicture(ctx.ctx, input.uid)),
  rules: memberProcedure.input(OneDevice).query(({ ctx, input }) => deviceRules(ctx.ctx, input.uid)),
  metadataChanges: memberProcedure.input(OneDevice).query(({ ctx, input }) => metadataChanges(ctx.ctx, input.uid)),
});
