import { SavedQueryUid, SaveQuery, ScreenQuery } from "@/domain/signals/schema";
import { querySignals } from "@/server/features/signals/query-service";
import { deleteQuery, listQueries, saveQuery } from "@/server/features/signals/saved-service";
import { listTables } from "@/server/features/signals/tables-service";
import { memberProcedure, readingProcedure, router } from "@/server/transport/trpc/init";

export const signals = router({
  run: readingProcedure.input(ScreenQuery).mutation(({ ctx, input, signal }) => querySignals(ctx.ctx, input, signal)),
  tables: memberProcedure.query(({ ctx }) => listTables(ctx.ctx)),
  saved: memberProcedure.query(({ ctx }) => listQueries(ctx.ctx)),
  save: memberProcedure.input(SaveQuery).mutation(({ ctx, input }) => saveQuery(ctx.ctx, input)),
  remove: memberProcedure.input(SavedQueryUid).mutation(({ ctx, input }) => deleteQuery(ctx.ctx, input.uid)),
});
