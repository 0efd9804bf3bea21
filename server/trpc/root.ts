import { alerts } from "@/server/alerts/trpc";
import { channels } from "@/server/channels/trpc";
import { devices, groups } from "@/server/devices/trpc";
import { events } from "@/server/events/trpc";
import { recordings } from "@/server/recordings/trpc";
import { silences } from "@/server/silences/trpc";
import { router } from "@/server/trpc/init";

/** Everything the dashboard can ask: one router a domain, each a thin door to the same services the REST API stands on. */
export const appRouter = router({ devices, groups, events, recordings, channels, silences, alerts });
export type AppRouter = typeof appRouter;
