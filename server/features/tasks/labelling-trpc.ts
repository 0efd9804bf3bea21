import { SaveDraft, SubmitAndNext } from "@/domain/annotations/draft-schema";
import { HeldTask, NextTask, OpenTask } from "@/domain/tasks/labelling-schema";
import { PreLabel } from "@/domain/tasks/pre-label-schema";
import { AssignTasks, PrioritiseTasks, ReleaseTasks, UnskipTasks } from "@/domain/tasks/queue-schema";
import { TaskUid, UpdateWorkBatch } from "@/domain/tasks/schema";
import { SkipAndNext, SkipTasks } from "@/domain/tasks/skip-schema";
import { updateWorkBatch } from "@/server/features/tasks/batch-service";
import { getDraft, saveDraft } from "@/server/features/tasks/draft-service";
import { getTaskForEditor } from "@/server/features/tasks/editor-service";
import { releaseTask, renewLease } from "@/server/features/tasks/lease-service";
import {
  assignTasks,
  prioritiseTasks,
  releaseTasks,
  skipTasks,
  unskipTasks,
} from "@/server/features/tasks/many-service";
import { nextTask } from "@/server/features/tasks/next-service";
import { openTask, takeOverTask } from "@/server/features/tasks/open-service";
import { preLabel } from "@/server/features/tasks/pre-label-service";
import { skipAndNext, unskipTask } from "@/server/features/tasks/skip-service";
import { submitAndNext } from "@/server/features/tasks/submit-service";
import { adminProcedure, memberProcedure, router } from "@/server/transport/trpc/init";

export const tasks = router({
  next: memberProcedure.input(NextTask).mutation(({ ctx, input }) => nextTask(ctx.ctx, input)),
  editor: memberProcedure.input(TaskUid).query(({ ctx, input }) => getTaskForEditor(ctx.ctx, input.uid)),
  open: memberProcedure
    .input(TaskUid.extend(OpenTask.shape))
    .mutation(({ ctx, input: { uid, ...input } }) => openTask(ctx.ctx, uid, input)),
  takeOver: memberProcedure.input(TaskUid).mutation(({ ctx, input }) => takeOverTask(ctx.ctx, input.uid)),
  renew: memberProcedure
    .input(TaskUid.extend(HeldTask.shape))
    .mutation(({ ctx, input: { uid, ...input } }) => renewLease(ctx.ctx, uid, input)),
  release: memberProcedure
    .input(TaskUid.extend(HeldTask.shape))
    .mutation(({ ctx, input: { uid, ...input } }) => releaseTask(ctx.ctx, uid, input)),
  draft: memberProcedure.input(TaskUid).query(({ ctx, input }) => getDraft(ctx.ctx, input.uid)),
  saveDraft: memberProcedure
    .input(TaskUid.extend({ change: SaveDraft }))
    .mutation(({ ctx, input }) => saveDraft(ctx.ctx, input.uid, input.change)),
  submit: memberProcedure
    .input(TaskUid.extend(SubmitAndNext.shape))
    .mutation(({ ctx, input: { uid, ...input } }) => submitAndNext(ctx.ctx, uid, input)),
  skip: memberProcedure.input(SkipAndNext).mutation(({ ctx, input }) => skipAndNext(ctx.ctx, input)),
  skipMany: adminProcedure.input(SkipTasks).mutation(({ ctx, input }) => skipTasks(ctx.ctx, input)),
  unskip: adminProcedure.input(TaskUid).mutation(({ ctx, input }) => unskipTask(ctx.ctx, input.uid)),
  assignMany: memberProcedure.input(AssignTasks).mutation(({ ctx, input }) => assignTasks(ctx.ctx, input)),
  prioritise: adminProcedure.input(PrioritiseTasks).mutation(({ ctx, input }) => prioritiseTasks(ctx.ctx, input)),
  releaseMany: adminProcedure.input(ReleaseTasks).mutation(({ ctx, input }) => releaseTasks(ctx.ctx, input)),
  unskipMany: adminProcedure.input(UnskipTasks).mutation(({ ctx, input }) => unskipTasks(ctx.ctx, input)),
});

export const batches = router({
  update: adminProcedure
    .input(TaskUid.extend(UpdateWorkBatch.shape))
    .mutation(({ ctx, input: { uid, ...input } }) => updateWorkBatch(ctx.ctx, uid, input)),
});

/** Among the procedures of projects. */
export const preLabels = router({
  preLabel: adminProcedure
    .input(TaskUid.extend(PreLabel.shape))
    .mutation(({ ctx, input: { uid, ...input } }) => preLabel(ctx.ctx, uid, input)),
});
