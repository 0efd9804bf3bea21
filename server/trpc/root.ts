import { alerts } from "@/server/alerts/trpc";
import { apiKeys } from "@/server/api-keys/trpc";
import { audit } from "@/server/audit/trpc";
import { channels } from "@/server/channels/trpc";
import { demo } from "@/server/demo/trpc";
import { devices, groups } from "@/server/devices/trpc";
import { events } from "@/server/events/trpc";
import { models } from "@/server/models/trpc";
import { account } from "@/server/organizations/account-trpc";
import { invitations, members, organizations } from "@/server/organizations/trpc";
import { fleet } from "@/server/overview/fleet-trpc";
import { overview } from "@/server/overview/trpc";
import { recordings } from "@/server/recordings/trpc";
import { rules, topics } from "@/server/rules/trpc";
import { silences } from "@/server/silences/trpc";
import { router } from "@/server/trpc/init";
import { views } from "@/server/views/trpc";

/**
 * Everything the dashboard can ask: one router a domain, each a thin door to the same services the REST API stands on.
 */
export const appRouter = router({
  account,
  organizations,
  members,
  invitations,
  apiKeys,
  audit,
  demo,
  devices,
  fleet,
  overview,
  groups,
  events,
  recordings,
  channels,
  silences,
  alerts,
  rules,
  topics,
  models,
  views,
});
export type AppRouter = typeof appRouter;
