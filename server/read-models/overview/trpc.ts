import { ShownRows } from "@/domain/demo/schema";
import {
  ActivityRequest,
  RecordingsAtRequest,
  RobotsRequest,
  SearchRequest,
  TilesRequest,
} from "@/domain/overview/schema";
import { readActivity } from "@/server/read-models/overview/activity";
import { recordingsInNeed } from "@/server/read-models/overview/attention";
import { readFleet } from "@/server/read-models/overview/fleet";
import { readTrainingData } from "@/server/read-models/overview/loop";
import { placedDevices } from "@/server/read-models/overview/places";
import { findRecordingsAt } from "@/server/read-models/overview/recordings-at";
import { listRobots } from "@/server/read-models/overview/robots";
import { searchAlerts, searchDevices, searchRules } from "@/server/read-models/overview/search";
import { readTiles } from "@/server/read-models/overview/tiles";
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const overview = router({
  tiles: memberProcedure.input(TilesRequest).query(({ ctx, input }) => readTiles(ctx.ctx, input.since, input)),
  fleet: memberProcedure.input(ShownRows).query(({ ctx, input }) => readFleet(ctx.ctx, input)),
  robots: memberProcedure.input(RobotsRequest).query(({ ctx, input }) => listRobots(ctx.ctx, input)),
  activity: memberProcedure.input(ActivityRequest).query(({ ctx, input }) => readActivity(ctx.ctx, input.range, input)),
  loop: memberProcedure.input(ShownRows).query(({ ctx, input }) => readTrainingData(ctx.ctx, input)),
  attention: memberProcedure.input(ShownRows).query(({ ctx, input }) => recordingsInNeed(ctx.ctx, input)),
  searchDevices: memberProcedure
    .input(SearchRequest)
    .query(({ ctx, input }) => searchDevices(ctx.ctx, input.text, input)),
  searchAlerts: memberProcedure
    .input(SearchRequest)
    .query(({ ctx, input }) => searchAlerts(ctx.ctx, input.text, input)),
  searchRules: memberProcedure.input(SearchRequest).query(({ ctx, input }) => searchRules(ctx.ctx, input.text, input)),
  recordingsAt: memberProcedure.input(RecordingsAtRequest).query(({ ctx, input }) => findRecordingsAt(ctx.ctx, input)),
  map: memberProcedure.input(ShownRows).query(({ ctx, input }) => placedDevices(ctx.ctx, input)),
});
