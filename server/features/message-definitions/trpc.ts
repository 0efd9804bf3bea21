import {
  MessageDefinitionFilters,
  MessageDefinitionUid,
  SaveMessageDefinitions,
} from "@/domain/message-definitions/schema";
import {
  deleteDefinition,
  getDefinition,
  listDefinitions,
  saveDefinitions,
} from "@/server/features/message-definitions/service";
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const messageDefinitions = router({
  list: memberProcedure.input(MessageDefinitionFilters).query(({ ctx, input }) => listDefinitions(ctx.ctx, input)),
  get: memberProcedure.input(MessageDefinitionUid).query(({ ctx, input }) => getDefinition(ctx.ctx, input.uid)),
  save: memberProcedure.input(SaveMessageDefinitions).mutation(({ ctx, input }) => saveDefinitions(ctx.ctx, input)),
  delete: memberProcedure
    .input(MessageDefinitionUid)
    .mutation(({ ctx, input }) => deleteDefinition(ctx.ctx, input.uid)),
});
