import { makeFilmstrip, refuseFilmstrip } from "@/server/features/filmstrips/make-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handleReading } from "@/server/platform/jobs/handler";

export const make = handleReading(jobs.makeFilmstrip, makeFilmstrip, refuseFilmstrip);
