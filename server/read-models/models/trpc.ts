import {
  ModelListFilters,
  ModelUid,
  PredictionPage,
  RunFailures,
  RunListFilters,
  RunUid,
} from "@/domain/models/schema";
import { getModelPage, listModelOverviews } from "@/server/read-models/models/model-list";
import { getRunOverview, listRunOverviews } from "@/server/read-models/models/run-list";
import {
  listFailedItems,
  listFailureReasons,
  listPredictedItems,
  readHistogram,
} from "@/server/read-models/models/run-page";
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const modelScreens = router({
  overview: memberProcedure.input(ModelListFilters).query(({ ctx, input }) => listModelOverviews(ctx.ctx, input)),
  page: memberProcedure.input(ModelUid).query(({ ctx, input }) => getModelPage(ctx.ctx, input.model_uid)),
});

export const runScreens = router({
  overview: memberProcedure.input(RunListFilters).query(({ ctx, input }) => listRunOverviews(ctx.ctx, input)),
  overviewOf: memberProcedure.input(RunUid).query(({ ctx, input }) => getRunOverview(ctx.ctx, input.uid)),
  reasons: memberProcedure.input(RunUid).query(({ ctx, input }) => listFailureReasons(ctx.ctx, input.uid)),
  failures: memberProcedure.input(RunFailures).query(({ ctx, input }) => listFailedItems(ctx.ctx, input)),
  predictions: memberProcedure.input(PredictionPage).query(({ ctx, input }) => listPredictedItems(ctx.ctx, input)),
  histogram: memberProcedure.input(RunUid).query(({ ctx, input }) => readHistogram(ctx.ctx, input.uid)),
});
