import { devices, groups } from "@/server/devices/trpc";
import { events } from "@/server/events/trpc";
import { recordings } from "@/server/recordings/trpc";
import { router } from "@/server/trpc/init";

/** Everything the dashboard can ask: one router a domain, each a thin door to the same services the REST API stands on. */
export const appRouter = router({ devices, groups, events, recordings });
export type AppRouter = typeof appRouter;
