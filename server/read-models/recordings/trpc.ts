import { z } from "zod";
import { AlertUid } from "@/domain/alerts/schema";
import {
  CoverageRequest,
  RecordingPair,
  RecordingRange,
  RecordingScreenFilters,
  RecordingUid,
} from "@/domain/recordings/schema";
import { applyDemoRule } from "@/server/features/devices/demo-queries";
import { findAnchors } from "@/server/read-models/recordings/anchors";
import { findComparableRuns } from "@/server/read-models/recordings/comparable-runs";
import { compareRecordings } from "@/server/read-models/recordings/comparison";
import { readCoverage } from "@/server/read-models/recordings/coverage";
import { findLastGoodRun } from "@/server/read-models/recordings/good-run";
import { recordingEvents, recordingLanes } from "@/server/read-models/recordings/lanes";
import { listRecordingOverviews } from "@/server/read-models/recordings/recording-list";
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const recordingScreens = router({
  overview: memberProcedure
    .input(RecordingScreenFilters)
    .query(({ ctx, input }) => listRecordingOverviews(ctx.ctx, applyDemoRule(input))),
  coverage: memberProcedure
    .input(CoverageRequest)
    .query(({ ctx, input }) => readCoverage(ctx.ctx, applyDemoRule(input))),
  lanes: memberProcedure.input(RecordingUid).query(({ ctx, input }) => recordingLanes(ctx.ctx, input.uid)),
  events: memberProcedure
    .input(z.object({ ...RecordingUid.shape, ...RecordingRange.shape }))
    .query(({ ctx, input }) => recordingEvents(ctx.ctx, input.uid, input)),
  compare: memberProcedure.input(RecordingPair).query(({ ctx, input }) => compareRecordings(ctx.ctx, input)),
  anchors: memberProcedure.input(RecordingPair).query(({ ctx, input }) => findAnchors(ctx.ctx, input)),
  comparableRuns: memberProcedure.input(RecordingUid).query(({ ctx, input }) => findComparableRuns(ctx.ctx, input.uid)),
  lastGoodRun: memberProcedure.input(AlertUid).query(({ ctx, input }) => findLastGoodRun(ctx.ctx, input.uid)),
});
