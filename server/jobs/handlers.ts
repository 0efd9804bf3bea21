import * as agents from "@/server/agents/jobs";
import * as alerts from "@/server/alerts/jobs";
import * as channels from "@/server/channels/jobs";
import * as datasets from "@/server/datasets/jobs";
import * as demo from "@/server/demo/jobs";
import * as exportJobs from "@/server/exports/jobs";
import type { JobHandler } from "@/server/jobs/handler";
import * as mail from "@/server/mail/jobs";
import * as models from "@/server/models/jobs";
import * as organizations from "@/server/organizations/jobs";
import * as overview from "@/server/overview/jobs";
import * as processing from "@/server/processing/jobs";
import * as projects from "@/server/projects/jobs";
import * as recordings from "@/server/recordings/jobs";
import * as rules from "@/server/rules/jobs";
import * as slices from "@/server/slices/jobs";
import * as storage from "@/server/storage/jobs";
import * as webhooks from "@/server/webhooks/jobs";

/** Every job handler; one line a domain (`import * as devices from "@/server/devices/jobs"`). */
const domains: readonly Readonly<Record<string, JobHandler>>[] = [
  demo,
  overview,
  organizations,
  mail,
  storage,
  recordings,
  channels,
  alerts,
  rules,
  processing,
  webhooks,
  datasets,
  slices,
  projects,
  agents,
  exportJobs,
  models,
];

export const handlers: readonly JobHandler[] = domains.flatMap((domain) => Object.values(domain));
