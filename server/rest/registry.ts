import * as agents from "@/server/agents/rest";
import * as alerts from "@/server/alerts/rest";
import * as audit from "@/server/audit/rest";
import * as channels from "@/server/channels/rest";
import * as datasets from "@/server/datasets/rest";
import * as datasetUploads from "@/server/datasets/upload-rest";
import * as demo from "@/server/demo/rest";
import * as groups from "@/server/devices/groups-rest";
import * as devices from "@/server/devices/rest";
import * as events from "@/server/events/rest";
import * as exportRest from "@/server/exports/rest";
import * as mcp from "@/server/mcp/rest";
import * as models from "@/server/models/rest";
import * as invitations from "@/server/organizations/invitations-rest";
import * as members from "@/server/organizations/members-rest";
import * as organizations from "@/server/organizations/rest";
import * as projects from "@/server/projects/rest";
import * as recordings from "@/server/recordings/rest";
import * as uploads from "@/server/recordings/upload-rest";
import type { Endpoint } from "@/server/rest/endpoint";
import * as rules from "@/server/rules/rest";
import * as silences from "@/server/silences/rest";
import * as slices from "@/server/slices/rest";
import * as storageConfigs from "@/server/storage-configs/rest";
import * as tasks from "@/server/tasks/rest";
import * as webhooks from "@/server/webhooks/rest";

/**
 * Every operation of the REST API. One line a domain; everything else about an operation stands in its own declaration.
 */
const domains: readonly Readonly<Record<string, Endpoint>>[] = [
  organizations,
  members,
  invitations,
  audit,
  devices,
  groups,
  recordings,
  uploads,
  events,
  channels,
  silences,
  alerts,
  rules,
  demo,
  webhooks,
  datasets,
  datasetUploads,
  slices,
  projects,
  tasks,
  agents,
  exportRest,
  models,
  storageConfigs,
  mcp,
];

export const registry: readonly Endpoint[] = domains.flatMap((domain) => Object.values(domain));
