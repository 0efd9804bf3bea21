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
import { adminProcedure, memberProcedure, router } from "@/server/transport/trpc/init";

export const devices = router({
  list: memberProcedure.input(DeviceFilters).query(({ ctx, input }) => listDevices(ctx.ctx, input)),
  vocabulary: memberProcedure.query(({ ctx }) => deviceVocabulary(ctx.ctx)),
  get: memberProcedure.input(DeviceUid).query(({ ctx, input }) => getDevice(ctx.ctx, input.uid)),
  register: adminProcedure.input(CreateDevice).mutation(({ ctx, input }) => registerDevice(ctx.ctx, input)),
  update: memberProcedure
    .input(z.object({ ...DeviceUid.shape, change: UpdateDevice }))
    .mutation(({ ctx, input }) => updateDevice(ctx.ctx, input.uid, input.change)),
  delete: adminProcedure.input(DeviceUid).mutation(({ ctx, input }) => deleteDevice(ctx.ctx, input.uid)),
  rotateToken: adminProcedure.input(DeviceUid).mutation(({ ctx, input }) => rotateDeviceToken(ctx.ctx, input.uid)),
});

export const groups = router({
  list: memberProcedure.input(GroupFilters).query(({ ctx, input }) => listGroups(ctx.ctx, input)),
  get: memberProcedure.input(GroupUid).query(({ ctx, input }) => getGroup(ctx.ctx, input.uid)),
  create: adminProcedure.input(CreateGroup).mutation(({ ctx, input }) => createGroup(ctx.ctx, input)),
  update: adminProcedure
    .input(z.object({ ...GroupUid.shape, change: UpdateGroup }))
    .mutation(({ ctx, input }) => updateGroup(ctx.ctx, input.uid, input.change)),
  delete: adminProcedure.input(GroupUid).mutation(({ ctx, input }) => deleteGroup(ctx.ctx, input.uid)),
});
