import { buildDemo } from "@/server/demo/build";
import { jobs } from "@/server/jobs/definitions";
import { handle } from "@/server/jobs/handler";

export const make = handle(jobs.makeDemo, ({ now, ...order }, run) => buildDemo({ ...order, now: new Date(now) }, run));
