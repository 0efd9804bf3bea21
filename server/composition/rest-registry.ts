import { areas } from "@/server/composition/api-areas";
import * as demo from "@/server/demo/rest";
import * as agents from "@/server/features/agents/rest";
import * as alerts from "@/server/features/alerts/rest";
import * as audit from "@/server/features/audit/rest";
import * as channels from "@/server/features/channels/rest";
import * as cuts from "@/server/features/cuts/rest";
import * as datasetMembers from "@/server/features/datasets/members-rest";
import * as datasets from "@/server/features/datasets/rest";
import * as datasetUploads from "@/server/features/datasets/upload-rest";
import * as groups from "@/server/features/devices/groups-rest";
import * as devices from "@/server/features/devices/rest";
import * as events from "@/server/features/events/rest";
import * as exportRest from "@/server/features/exports/rest";
import * as meanings from "@/server/features/health/rest";
import * as imports from "@/server/features/imports/rest";
import * as issues from "@/server/features/issues/rest";
import * as invitations from "@/server/features/membership/invitations-rest";
import * as members from "@/server/features/membership/members-rest";
import * as messageDefinitions from "@/server/features/message-definitions/rest";
import * as models from "@/server/features/models/rest";
import * as moments from "@/server/features/moments/rest";
import * as organizations from "@/server/features/organizations/rest";
import * as projectMembers from "@/server/features/projects/members-rest";
import * as projectPeople from "@/server/features/projects/people-rest";
import * as projects from "@/server/features/projects/rest";
import * as recordings from "@/server/features/recordings/rest";
import * as uploads from "@/server/features/recordings/upload-rest";
import * as robotDescriptions from "@/server/features/robot-descriptions/rest";
import * as rules from "@/server/features/rules/rest";
import * as signals from "@/server/features/signals/rest";
import * as silences from "@/server/features/silences/rest";
import * as slices from "@/server/features/slices/rest";
import * as storageConfigs from "@/server/features/storage-configs/rest";
import * as ending from "@/server/features/tasks/ending-rest";
import * as labelling from "@/server/features/tasks/labelling-rest";
import * as manyTasks from "@/server/features/tasks/many-rest";
import * as preLabels from "@/server/features/tasks/pre-label-rest";
import * as tasks from "@/server/features/tasks/rest";
import * as revision from "@/server/features/tasks/revision-rest";
import * as webhooks from "@/server/features/webhooks/rest";
import * as fleet from "@/server/read-models/fleet/rest";
import * as health from "@/server/read-models/health/rest";
import { mcpEndpoint } from "@/server/transport/mcp/endpoint";
import { createTools } from "@/server/transport/mcp/endpoint-tools";
import type { Endpoint } from "@/server/transport/rest/endpoint";

const modules: readonly Readonly<Record<string, Endpoint>>[] = [
  organizations,
  members,
  invitations,
  audit,
  fleet,
  devices,
  health,
  meanings,
  groups,
  recordings,
  cuts,
  uploads,
  signals,
  messageDefinitions,
  robotDescriptions,
  events,
  channels,
  silences,
  alerts,
  rules,
  demo,
  webhooks,
  datasets,
  datasetUploads,
  datasetMembers,
  moments,
  slices,
  projects,
  projectMembers,
  projectPeople,
  labelling,
  manyTasks,
  preLabels,
  tasks,
  ending,
  issues,
  revision,
  agents,
  imports,
  exportRest,
  models,
  storageConfigs,
];

const operations: readonly Endpoint[] = modules.flatMap((exported) => Object.values(exported));

/** Every operation of the REST API. */
export const registry: readonly Endpoint[] = [...operations, mcpEndpoint(createTools(operations), areas)];
