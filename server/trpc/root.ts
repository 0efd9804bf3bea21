import { devices, groups } from "@/server/devices/trpc";
import { events } from "@/server/events/trpc";
import { router } from "@/server/trpc/init";

/** Everything the dashboard can ask: one router a domain, each a thin door to the same services the REST API stands on. */
export const appRouter = router({ devices, groups, events });
export type AppRouter = typeof appRouter;
