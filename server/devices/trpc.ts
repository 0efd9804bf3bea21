import { z } from "zod";
import { CreateDevice, DeviceFilters, DeviceUid, UpdateDevice } from "@/server/devices/schema";
import { deleteDevice, getDevice, listDevices, registerDevice, rotateDeviceToken, updateDevice } from "@/server/devices/service";
import { procedure, router } from "@/server/trpc/init";

export const devices = router({
  list: procedure.input(DeviceFilters).query(({ ctx, input }) => listDevices(ctx.ctx, input)),
  get: procedure.input(DeviceUid).query(({ ctx, input }) => getDevice(ctx.ctx, input.uid)),
  register: procedure.input(CreateDevice).mutation(({ ctx, input }) => registerDevice(ctx.ctx, input)),
  update: procedure
    .input(z.object({ ...DeviceUid.shape, change: UpdateDevice }))
    .mutation(({ ctx, input }) => updateDevice(ctx.ctx, input.uid, input.change)),
  delete: procedure.input(DeviceUid).mutation(({ ctx, input }) => deleteDevice(ctx.ctx, input.uid)),
  rotateToken: procedure.input(DeviceUid).mutation(({ ctx, input }) => rotateDeviceToken(ctx.ctx, input.uid)),
});
