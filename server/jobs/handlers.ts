import type { JobHandler } from "@/server/jobs/handler";
import * as devices from "@/server/devices/jobs";

/** Every job handler; one line a domain. */
const domains: readonly Readonly<Record<string, JobHandler>>[] = [devices];

export const handlers: readonly JobHandler[] = domains.flatMap((domain) => Object.values(domain));
