import { DeviceUid } from "@/domain/devices/schema";
import { RecordingUid } from "@/domain/recordings/schema";
import {
  CreateRobotDescription,
  RobotDescriptionFilters,
  RobotDescriptionUid,
} from "@/domain/robot-descriptions/schema";
import { finalizeRobotDescription } from "@/server/features/robot-descriptions/finalize-service";
import { findRobotOfDevice, findRobotOfRecording } from "@/server/features/robot-descriptions/media-service";
import {
  beginRobotDescription,
  deleteRobotDescription,
  getRobotDescription,
  listRobotDescriptions,
} from "@/server/features/robot-descriptions/service";
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const robotDescriptions = router({
  list: memberProcedure.input(RobotDescriptionFilters).query(({ ctx, input }) => listRobotDescriptions(ctx.ctx, input)),
  get: memberProcedure.input(RobotDescriptionUid).query(({ ctx, input }) => getRobotDescription(ctx.ctx, input.uid)),
  /** What a 3-D view of a recording needs to draw its robot; null when its device type has no description. */
  ofRecording: memberProcedure.input(RecordingUid).query(({ ctx, input }) => findRobotOfRecording(ctx.ctx, input.uid)),
  ofDevice: memberProcedure.input(DeviceUid).query(({ ctx, input }) => findRobotOfDevice(ctx.ctx, input.uid)),
  create: memberProcedure
    .input(CreateRobotDescription)
    .mutation(({ ctx, input }) => beginRobotDescription(ctx.ctx, input)),
  finalize: memberProcedure
    .input(RobotDescriptionUid)
    .mutation(({ ctx, input }) => finalizeRobotDescription(ctx.ctx, input.uid)),
  delete: memberProcedure
    .input(RobotDescriptionUid)
    .mutation(({ ctx, input }) => deleteRobotDescription(ctx.ctx, input.uid)),
});
