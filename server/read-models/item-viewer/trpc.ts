import { AlertUid } from "@/domain/alerts/schema";
import { UpdateSequence } from "@/domain/datasets/schema";
import {
  AnnotationsQuery,
  DatasetSequences,
  ItemChange,
  NeighboursQuery,
  ViewedItem,
} from "@/domain/items/viewer-schema";
import { TaskUid } from "@/domain/tasks/schema";
import { updateItem } from "@/server/features/datasets/item-service";
import { updateSequence } from "@/server/features/datasets/sequences-service";
import { readItemActivity } from "@/server/read-models/item-viewer/activity";
import { readAlertLabels } from "@/server/read-models/item-viewer/alert-labels";
import { readAnnotations, readPredictions } from "@/server/read-models/item-viewer/annotations";
import { listPicturesBeside } from "@/server/read-models/item-viewer/beside";
import { readFileState } from "@/server/read-models/item-viewer/file-state";
import { readNeighbours } from "@/server/read-models/item-viewer/neighbours";
import { listDatasetSequences, readSequenceFrames } from "@/server/read-models/item-viewer/sequences";
import { readItemOfTask, readViewedItem } from "@/server/read-models/item-viewer/viewed-item";
import { adminProcedure, memberProcedure, router } from "@/server/transport/trpc/init";

/** One item of a dataset, and what lies beside it. */
export const itemViewer = router({
  get: memberProcedure.input(ViewedItem).query(({ ctx, input }) => readViewedItem(ctx.ctx, input)),
  ofTask: memberProcedure.input(TaskUid).query(({ ctx, input }) => readItemOfTask(ctx.ctx, input.uid)),
  labelsOfAlert: memberProcedure.input(AlertUid).query(({ ctx, input }) => readAlertLabels(ctx.ctx, input.uid)),
  neighbours: memberProcedure.input(NeighboursQuery).query(({ ctx, input }) => readNeighbours(ctx.ctx, input)),
  annotations: memberProcedure.input(AnnotationsQuery).query(({ ctx, input }) => readAnnotations(ctx.ctx, input)),
  predictions: memberProcedure.input(ViewedItem).query(({ ctx, input }) => readPredictions(ctx.ctx, input)),
  beside: memberProcedure.input(ViewedItem).query(({ ctx, input }) => listPicturesBeside(ctx.ctx, input)),
  activity: memberProcedure.input(ViewedItem).query(({ ctx, input }) => readItemActivity(ctx.ctx, input)),
  file: memberProcedure.input(ViewedItem).query(({ ctx, input }) => readFileState(ctx.ctx, input)),
  update: memberProcedure
    .input(ItemChange)
    .mutation(({ ctx, input }) => updateItem(ctx.ctx, input, input.uid, input.change)),
});

/** The sequences of a dataset. */
export const sequences = router({
  list: memberProcedure.input(DatasetSequences).query(({ ctx, input }) => listDatasetSequences(ctx.ctx, input)),
  frames: memberProcedure.input(ViewedItem).query(({ ctx, input }) => readSequenceFrames(ctx.ctx, input)),
  setStatus: adminProcedure
    .input(ViewedItem.extend(UpdateSequence.shape))
    .mutation(({ ctx, input }) => updateSequence(ctx.ctx, input, input.uid, { status: input.status })),
});
