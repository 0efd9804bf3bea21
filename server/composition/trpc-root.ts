import { demo } from "@/server/demo/trpc";
import { account } from "@/server/features/accounts/account-trpc";
import { secondFactor } from "@/server/features/accounts/second-factor-trpc";
import { agents } from "@/server/features/agents/trpc";
import { alerts } from "@/server/features/alerts/trpc";
import { apiKeys } from "@/server/features/api-keys/trpc";
import { audit } from "@/server/features/audit/trpc";
import { bulkEdits } from "@/server/features/bulk-edits/trpc";
import { captures } from "@/server/features/captures/trpc";
import { channels } from "@/server/features/channels/trpc";
import { cuts } from "@/server/features/cuts/trpc";
import { datasets } from "@/server/features/datasets/trpc";
import { datasetUploads } from "@/server/features/datasets/upload-trpc";
import { devices, groups } from "@/server/features/devices/trpc";
import { events } from "@/server/features/events/trpc";
import { dataExports } from "@/server/features/exports/trpc";
import { filmstrips } from "@/server/features/filmstrips/trpc";
import { meanings } from "@/server/features/health/trpc";
import { imports } from "@/server/features/imports/trpc";
import { decisions, issues } from "@/server/features/issues/trpc";
import { layouts } from "@/server/features/layouts/trpc";
import { mcp } from "@/server/features/mcp/trpc";
import { messageDefinitions } from "@/server/features/message-definitions/trpc";
import { models, runs } from "@/server/features/models/trpc";
import { moments } from "@/server/features/moments/trpc";
import { invitations, members, organizations } from "@/server/features/organizations/trpc";
import { projects } from "@/server/features/projects/trpc";
import { recordings } from "@/server/features/recordings/trpc";
import { robotDescriptions } from "@/server/features/robot-descriptions/trpc";
import { rules, topics } from "@/server/features/rules/trpc";
import { shares } from "@/server/features/shares/trpc";
import { signals } from "@/server/features/signals/trpc";
import { silences } from "@/server/features/silences/trpc";
import { slices } from "@/server/features/slices/trpc";
import { storage } from "@/server/features/storage-configs/trpc";
import { batches, preLabels, tasks } from "@/server/features/tasks/labelling-trpc";
import { results } from "@/server/features/tasks/review-trpc";
import { views } from "@/server/features/views/trpc";
import { deliveries, webhooks } from "@/server/features/webhooks/trpc";
import { agentScreens } from "@/server/read-models/agents/trpc";
import { channelScreens } from "@/server/read-models/channels/trpc";
import { datasetScreens } from "@/server/read-models/datasets/trpc";
import { fleet } from "@/server/read-models/devices/trpc";
import { eventScreens } from "@/server/read-models/events/trpc";
import { exportScreens } from "@/server/read-models/exports/trpc";
import { groupScreens } from "@/server/read-models/groups/trpc";
import { healthScreens } from "@/server/read-models/health/trpc";
import { inbox } from "@/server/read-models/inbox/trpc";
import { itemViewer, sequences } from "@/server/read-models/item-viewer/trpc";
import { items } from "@/server/read-models/items/trpc";
import { modelScreens, runScreens } from "@/server/read-models/models/trpc";
import { organizationScreens } from "@/server/read-models/organization/trpc";
import { overview } from "@/server/read-models/overview/trpc";
import { projectScreens } from "@/server/read-models/projects/trpc";
import { recordingScreens } from "@/server/read-models/recordings/trpc";
import { reviewScreens } from "@/server/read-models/review/trpc";
import { sliceScreens } from "@/server/read-models/slices/trpc";
import { storageScreens } from "@/server/read-models/storage/trpc";
import { taskScreens } from "@/server/read-models/tasks/trpc";
import { deliveryScreens, webhookScreens } from "@/server/read-models/webhooks/trpc";
import { mergeRouters, router } from "@/server/transport/trpc/init";

/**
 * All procedures of the dashboard, one router per area, on the same services as the REST API and on the read models of
 * its screens.
 */
export const appRouter = router({
  account,
  secondFactor,
  organizations: mergeRouters(organizations, organizationScreens),
  members,
  invitations,
  apiKeys,
  audit,
  demo,
  devices,
  fleet,
  overview,
  moments,
  health: mergeRouters(meanings, healthScreens),
  groups: mergeRouters(groups, groupScreens),
  events: mergeRouters(events, eventScreens),
  recordings: mergeRouters(recordings, recordingScreens, filmstrips),
  cuts,
  shares,
  channels: mergeRouters(channels, channelScreens),
  signals,
  messageDefinitions,
  robotDescriptions,
  silences,
  alerts: mergeRouters(alerts, inbox, captures),
  rules,
  topics,
  models: mergeRouters(models, modelScreens),
  runs: mergeRouters(runs, runScreens),
  storage: mergeRouters(storage, storageScreens),
  mcp,
  datasets: mergeRouters(datasets, datasetUploads, datasetScreens),
  projects: mergeRouters(projects, projectScreens, preLabels),
  tasks: mergeRouters(tasks, taskScreens),
  batches,
  results: mergeRouters(results, decisions, reviewScreens),
  issues,
  items: mergeRouters(items, itemViewer, bulkEdits),
  sequences,
  layouts,
  exports: mergeRouters(dataExports, exportScreens),
  imports,
  slices: mergeRouters(slices, sliceScreens),
  agents: mergeRouters(agents, agentScreens),
  views,
  webhooks: mergeRouters(webhooks, webhookScreens),
  deliveries: mergeRouters(deliveries, deliveryScreens),
});
export type AppRouter = typeof appRouter;
