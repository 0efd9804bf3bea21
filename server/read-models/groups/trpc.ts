import { ChangeGroupDevices, GroupScreenFilters, GroupTargets } from "@/domain/devices/group-screen-schema";
import { GroupUid } from "@/domain/devices/schema";
import { changeDevices } from "@/server/read-models/groups/group-devices";
import { getGroupOverview, groupTargets, groupUses, listGroupOverviews } from "@/server/read-models/groups/group-list";
import { adminProcedure, memberProcedure, router } from "@/server/transport/trpc/init";

export const groupScreens = router({
  overview: memberProcedure.input(GroupScreenFilters).query(({ ctx, input }) => listGroupOverviews(ctx.ctx, input)),
  overviewOf: memberProcedure.input(GroupUid).query(({ ctx, input }) => getGroupOverview(ctx.ctx, input.uid)),
  targets: memberProcedure.input(GroupTargets).query(({ ctx, input }) => groupTargets(ctx.ctx, input)),
  uses: memberProcedure.input(GroupUid).query(({ ctx, input }) => groupUses(ctx.ctx, input.uid)),
  addDevices: adminProcedure
    .input(ChangeGroupDevices)
    .mutation(({ ctx, input }) => changeDevices(ctx.ctx, "add", input)),
  removeDevices: adminProcedure
    .input(ChangeGroupDevices)
    .mutation(({ ctx, input }) => changeDevices(ctx.ctx, "remove", input)),
});
