import type { JobHandler } from "@/server/jobs/handler";

/** Every job handler; one line a domain (`import * as devices from "@/server/devices/jobs"`). */
const domains: readonly Readonly<Record<string, JobHandler>>[] = [];

export const handlers: readonly JobHandler[] = domains.flatMap((domain) => Object.values(domain));
