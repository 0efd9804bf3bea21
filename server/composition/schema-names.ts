import { z } from "zod";
import * as agents from "@/domain/agents/schema";
import * as alerts from "@/domain/alerts/schema";
import * as annotationImports from "@/domain/annotation-imports/schema";
import * as drafts from "@/domain/annotations/draft-schema";
import { channelKinds } from "@/domain/channels/registry";
import * as channels from "@/domain/channels/schema";
import { compositeConditionSchema, nodeSchema } from "@/domain/conditions/condition-schema";
import { leafSchemas } from "@/domain/conditions/schema-registry";
import * as datasets from "@/domain/datasets/schema";
import * as demo from "@/domain/demo/schema";
import * as devices from "@/domain/devices/schema";
import * as events from "@/domain/events/schema";
import * as exportSchemas from "@/domain/exports/schema";
import { uidSchemas } from "@/domain/fields";
import * as health from "@/domain/health/schema";
import * as messageDefinitions from "@/domain/message-definitions/schema";
import * as models from "@/domain/models/schema";
import * as moments from "@/domain/moments/schema";
import * as assignments from "@/domain/organizations/assignment";
import * as organizations from "@/domain/organizations/schema";
import * as summaries from "@/domain/overview/summaries";
import { eventPayloads, PingPayload, ResultMetadata } from "@/domain/platform-events/payloads";
import * as projectLabels from "@/domain/projects/label-schema";
import * as projects from "@/domain/projects/schema";
import * as recordings from "@/domain/recordings/schema";
import * as robotDescriptions from "@/domain/robot-descriptions/schema";
import * as actions from "@/domain/rules/actions";
import * as previews from "@/domain/rules/preview";
import * as rules from "@/domain/rules/schema";
import { scopeSchema } from "@/domain/rules/scope";
import * as signals from "@/domain/signals/schema";
import * as silences from "@/domain/silences/schema";
import * as slices from "@/domain/slices/schema";
import * as storageConfigs from "@/domain/storage-configs/schema";
import * as issues from "@/domain/tasks/issue-schema";
import * as labelling from "@/domain/tasks/labelling-schema";
import * as preLabel from "@/domain/tasks/pre-label-schema";
import * as queue from "@/domain/tasks/queue-schema";
import * as review from "@/domain/tasks/review-schema";
import * as tasks from "@/domain/tasks/schema";
import * as skip from "@/domain/tasks/skip-schema";
import * as uploads from "@/domain/uploads/schema";
import * as webhooks from "@/domain/webhooks/schema";
import * as demoResources from "@/server/demo/resource";
import * as accountResources from "@/server/features/accounts/resource";
import * as agentResources from "@/server/features/agents/resource";
import * as alertResources from "@/server/features/alerts/resource";
import * as auditResources from "@/server/features/audit/resource";
import { Message } from "@/server/features/channels/message";
import * as channelResources from "@/server/features/channels/resource";
import * as cutResources from "@/server/features/cuts/resource";
import * as datasetResources from "@/server/features/datasets/resource";
import * as deviceResources from "@/server/features/devices/resource";
import * as eventResources from "@/server/features/events/resource";
import * as exportResources from "@/server/features/exports/resource";
import * as healthResources from "@/server/features/health/resource";
import * as importResources from "@/server/features/imports/resource";
import * as issueResources from "@/server/features/issues/resource";
import * as memberResources from "@/server/features/membership/resource";
import * as messageDefinitionResources from "@/server/features/message-definitions/resource";
import * as modelResources from "@/server/features/models/resource";
import * as momentResources from "@/server/features/moments/resource";
import * as organizationResources from "@/server/features/organizations/resource";
import * as projectResources from "@/server/features/projects/resource";
import * as recordingResources from "@/server/features/recordings/resource";
import * as robotDescriptionResources from "@/server/features/robot-descriptions/resource";
import * as ruleResources from "@/server/features/rules/resource";
import * as signalResources from "@/server/features/signals/resource";
import * as silenceResources from "@/server/features/silences/resource";
import * as sliceResources from "@/server/features/slices/resource";
import * as storageResources from "@/server/features/storage-configs/resource";
import * as labellingResources from "@/server/features/tasks/labelling-resource";
import * as taskResources from "@/server/features/tasks/resource";
import * as uploadResources from "@/server/features/uploads/resource";
import * as webhookResources from "@/server/features/webhooks/resource";
import * as fleetResources from "@/server/read-models/fleet/resource";
import * as healthReadResources from "@/server/read-models/health/resource";
import { McpMessage, McpResponse } from "@/server/transport/mcp/schema";
import { nextPage, previousPage } from "@/server/transport/rest/page";

/** Modules whose exported schemas are published under the names of the exports, without "Resource" and "Schema". */
const modules: readonly Readonly<Record<string, unknown>>[] = [
  agents,
  alerts,
  assignments,
  channels,
  datasets,
  demo,
  devices,
  drafts,
  events,
  exportSchemas,
  annotationImports,
  health,
  messageDefinitions,
  robotDescriptions,
  models,
  moments,
  organizations,
  summaries,
  projectLabels,
  projects,
  recordings,
  signals,
  actions,
  previews,
  rules,
  silences,
  slices,
  storageConfigs,
  issues,
  labelling,
  queue,
  review,
  preLabel,
  tasks,
  skip,
  uploads,
  webhooks,
  agentResources,
  alertResources,
  auditResources,
  channelResources,
  cutResources,
  datasetResources,
  demoResources,
  deviceResources,
  eventResources,
  exportResources,
  importResources,
  fleetResources,
  healthResources,
  healthReadResources,
  messageDefinitionResources,
  robotDescriptionResources,
  modelResources,
  momentResources,
  organizationResources,
  memberResources,
  accountResources,
  projectResources,
  recordingResources,
  signalResources,
  ruleResources,
  silenceResources,
  sliceResources,
  storageResources,
  issueResources,
  labellingResources,
  taskResources,
  uploadResources,
  webhookResources,
];

const pascal = (name: string): string => name.split(/[._]/).map(capitalized).join("");
const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const exported = modules.flatMap((module) =>
  Object.entries(module).flatMap(([name, value]) =>
    value instanceof z.ZodType ? [[value, capitalized(name.replace(/(Resource|Schema)$/, ""))] as const] : [],
  ),
);

/** Where the name of the export is not enough, because areas share it or because it is a member of a registry. */
const others: readonly (readonly [z.ZodType, string])[] = [
  ...Object.entries(uidSchemas).map(
    ([kind, schema]) => [schema, kind === "uuid" ? "Uuid" : `${capitalized(kind)}Id`] as const,
  ),
  ...Object.entries(eventPayloads).map(([event, schema]) => [schema, `${pascal(event)}Event`] as const),
  [PingPayload, "TestPingEvent"],
  [ResultMetadata, "ResultMetadata"],
  [nextPage, "NextPage"],
  [previousPage, "PreviousPage"],
  [Message, "AlertMessage"],
  [McpMessage, "JsonRpcMessage"],
  [McpResponse, "McpResponse"],
  [nodeSchema, "Condition"],
  [compositeConditionSchema, "CompositeCondition"],
  ...Object.entries(leafSchemas).map(([type, { condition }]) => [condition, `${capitalized(type)}Condition`] as const),
  ...Object.entries(channelKinds).map(([type, { config }]) => [config, `${capitalized(type)}Config`] as const),
  [scopeSchema, "RuleScope"],
  [actions.tagSchema, "TagAction"],
  [actions.createEventSchema, "CreateEventAction"],
  [actions.flagForReviewSchema, "FlagForReviewAction"],
  [actions.notifySchema, "NotifyAction"],
  [actions.autoLabelSchema, "AutoLabelAction"],
  [rules.PageOnly, "PageOnly"],
  [channelResources.DeliveryResource, "ChannelDelivery"],
  [channelResources.AttemptResource, "ChannelDeliveryAttempt"],
  [channelResources.TestResult, "ChannelTestResult"],
  [webhookResources.DeliveryResource, "WebhookDelivery"],
  [webhookResources.DeliveryDetail, "WebhookDeliveryDetail"],
  [webhookResources.ReplayResource, "WebhookReplay"],
  [modelResources.RunResource, "ModelRun"],
  [modelResources.ModelResource, "Model"],
  [modelResources.IntegrationResource, "ModelIntegration"],
  [ruleResources.RunResource, "RuleRun"],
  [ruleResources.TopicResource, "CatalogueTopic"],
  [ruleResources.TopicField, "CatalogueTopicField"],
  [recordingResources.TopicField, "RecordingTopicField"],
];

/** The names of schemas in the API's description. */
export const schemaNames: ReadonlyMap<z.ZodType, string> = new Map([...exported, ...others]);
