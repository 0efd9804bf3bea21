import * as alerts from "@/server/alerts/jobs";
import * as channels from "@/server/channels/jobs";
import type { JobHandler } from "@/server/jobs/handler";
import * as recordings from "@/server/recordings/jobs";
import * as storage from "@/server/storage/jobs";

/** Every job handler; one line a domain (`import * as devices from "@/server/devices/jobs"`). */
const domains: readonly Readonly<Record<string, JobHandler>>[] = [storage, recordings, channels, alerts];

export const handlers: readonly JobHandler[] = domains.flatMap((domain) => Object.values(domain));
