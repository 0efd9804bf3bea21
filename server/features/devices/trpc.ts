import { z } from "zod";
import {
  CreateDevice,
  CreateGroup,
  DeviceFilters,
  DeviceUid,
  GroupFilters,
  GroupUid,
  UpdateDevice,
  UpdateGroup,
} from "@/domain/devices/schema";
import { createGroup, deleteGroup, getGroup, listGroups, updateGroup } from "@/server/features/devices/group-service";
import {
  deleteDevice,
  getDevice,
  listDevices,
  registerDevice,
  rotateDeviceToken,
  updateDevice,
} from "@/server/features/devices/service";
import { deviceVocabulary } from "@/server/features/devices/vocabulary-queries";
import { procedure, router } from "@/server/transport/trpc/init";

export const devices = router({
  list: procedure.input(DeviceFilters).query(({ ctx, input }) => listDevices(ctx.ctx, input)),
  vocabulary: procedure.query(({ ctx }) => deviceVocabulary(ctx.ctx)),
  get: procedure.input(DeviceUid).query(({ ctx, input }) => getDevice(ctx.ctx, input.uid)),
  register: procedure.input(CreateDevice).mutation(({ ctx, input }) => registerDevice(ctx.ctx, input)),
  update: procedure
    .input(z.object({ ...DeviceUid.shape, change: UpdateDevice }))
    .mutation(({ ctx, input }) => updateDevice(ctx.ctx, input.uid, input.change)),
  delete: procedure.input(DeviceUid).mutation(({ ctx, input }) => deleteDevice(ctx.ctx, input.uid)),
  rotateToken: procedure.input(DeviceUid).mutation(({ ctx, input }) => rotateDeviceToken(ctx.ctx, input.uid)),
});

export const groups = router({
  list: procedure.input(GroupFilters).query(({ ctx, input }) => listGroups(ctx.ctx, input)),
  get: procedure.input(GroupUid).query(({ ctx, input }) => getGroup(ctx.ctx, input.uid)),
  create: procedure.input(CreateGroup).mutation(({ ctx, input }) => createGroup(ctx.ctx, input)),
  update: procedure
    .input(z.object({ ...GroupUid.shape, change: UpdateGroup }))
    .mutation(({ ctx, input }) => updateGroup(ctx.ctx, input.uid, input.change)),
  delete: procedure.input(GroupUid).mutation(({ ctx, input }) => deleteGroup(ctx.ctx, input.uid)),
});
