import { makeFilmstrip } from "@/server/features/filmstrips/make-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

export const make = handle(jobs.makeFilmstrip, makeFilmstrip);
