import { buildDemo } from "@/server/demo/build-service";
import { sendDemoHeartbeats } from "@/server/demo/heartbeat-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

export const make = handle(jobs.makeDemo, ({ now, ...order }, run) => buildDemo({ ...order, now: new Date(now) }, run));

export const heartbeats = handle(jobs.demoHeartbeats, async () => {
  await sendDemoHeartbeats();
});
