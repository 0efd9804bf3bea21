import * as demo from "@/server/demo/jobs";
import * as agents from "@/server/features/agents/jobs";
import * as alerts from "@/server/features/alerts/jobs";
import * as bulkEdits from "@/server/features/bulk-edits/jobs";
import * as captures from "@/server/features/captures/jobs";
import * as channels from "@/server/features/channels/jobs";
import * as datasets from "@/server/features/datasets/jobs";
import * as exportJobs from "@/server/features/exports/jobs";
import * as filmstrips from "@/server/features/filmstrips/jobs";
import * as health from "@/server/features/health/jobs";
import * as imports from "@/server/features/imports/jobs";
import * as overview from "@/server/features/maintenance/jobs";
import * as models from "@/server/features/models/jobs";
import * as moments from "@/server/features/moments/jobs";
import * as organizations from "@/server/features/organizations/jobs";
import * as processing from "@/server/features/processing/jobs";
import * as projects from "@/server/features/projects/jobs";
import * as recordings from "@/server/features/recordings/jobs";
import * as retention from "@/server/features/retention/jobs";
import * as robotDescriptions from "@/server/features/robot-descriptions/jobs";
import * as rules from "@/server/features/rules/jobs";
import * as signals from "@/server/features/signals/jobs";
import * as slices from "@/server/features/slices/jobs";
import * as storageConfigs from "@/server/features/storage-configs/jobs";
import * as tasks from "@/server/features/tasks/jobs";
import * as webhooks from "@/server/features/webhooks/jobs";
import type { JobHandler } from "@/server/platform/jobs/handler";
import * as queue from "@/server/platform/jobs/jobs";
import * as mail from "@/server/platform/mail/jobs";
import * as storage from "@/server/platform/storage/jobs";

const modules: readonly Readonly<Record<string, JobHandler>>[] = [
  demo,
  health,
  imports,
  overview,
  organizations,
  mail,
  storage,
  queue,
  recordings,
  channels,
  alerts,
  captures,
  filmstrips,
  robotDescriptions,
  rules,
  processing,
  signals,
  webhooks,
  datasets,
  bulkEdits,
  moments,
  slices,
  projects,
  tasks,
  agents,
  exportJobs,
  storageConfigs,
  retention,
  models,
];

export const handlers: readonly JobHandler[] = modules.flatMap((exported) => Object.values(exported));
