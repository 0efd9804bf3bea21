import {
  CreateLayout,
  LayoutFilters,
  LayoutUid,
  OpenLayout,
  SetDefaultLayout,
  UpdateLayout,
  UseLayout,
} from "@/domain/layouts/schema";
import { openLayout, rememberLayout } from "@/server/features/layouts/opening-service";
import {
  createLayout,
  deleteLayout,
  getLayout,
  listLayouts,
  setDefaultLayout,
  updateLayout,
} from "@/server/features/layouts/service";
import { adminProcedure, memberProcedure, ownProcedure, router } from "@/server/transport/trpc/init";

export const layouts = router({
  list: memberProcedure.input(LayoutFilters).query(({ ctx, input }) => listLayouts(ctx.ctx, input)),
  get: memberProcedure.input(LayoutUid).query(({ ctx, input }) => getLayout(ctx.ctx, input.uid)),
  open: memberProcedure.input(OpenLayout).query(({ ctx, input }) => openLayout(ctx.ctx, input)),
  // A person's own; the service lets admins alone change those of the organization.
  create: ownProcedure.input(CreateLayout).mutation(({ ctx, input }) => createLayout(ctx.ctx, input)),
  update: ownProcedure.input(UpdateLayout).mutation(({ ctx, input }) => updateLayout(ctx.ctx, input)),
  delete: ownProcedure.input(LayoutUid).mutation(({ ctx, input }) => deleteLayout(ctx.ctx, input.uid)),
  use: ownProcedure.input(UseLayout).mutation(({ ctx, input }) => rememberLayout(ctx.ctx, input)),
  setDefault: adminProcedure.input(SetDefaultLayout).mutation(({ ctx, input }) => setDefaultLayout(ctx.ctx, input)),
});
