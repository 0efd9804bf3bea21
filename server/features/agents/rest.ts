import {
  AgentFilters,
  AgentUid,
  ExecutionFilters,
  RegisterAgent,
  ReplaceAgent,
  SubmitAction,
  UpdateAgent,
} from "@/domain/agents/schema";
import { submitAction } from "@/server/features/agents/actions-service";
import { listExecutions, pingAgent } from "@/server/features/agents/executions-service";
import {
  ActionTaken,
  AgentDetail,
  AgentResource,
  ExecutionResource,
  PingQueued,
  RegisteredAgent,
} from "@/server/features/agents/resource";
import {
  deleteAgent,
  findAgent,
  getAgent,
  listAgents,
  registerAgent,
  updateAgent,
} from "@/server/features/agents/service";
import { endpoint, type ExistsCheck } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

const exists: ExistsCheck<typeof AgentUid> = (ctx, params) => findAgent(ctx, params.uid);

export const list = endpoint({
  method: "GET",
  path: "/agents/",
  id: "agents.list",
  summary: "List agents",
  permission: ["agents.read"],
  role: "member",
  query: AgentFilters,
  response: toPageSchema(AgentResource),
  handler: ({ ctx, query }) => listAgents(ctx, query),
});

export const register = endpoint({
  method: "POST",
  path: "/agents/",
  id: "agents.register",
  summary: "Register an agent",
  description:
    "An agent of the same name is changed in what is sent (200). A new one (201) has its secret in this answer only.",
  permission: ["agents.write"],
  role: "admin",
  body: RegisterAgent,
  response: RegisteredAgent,
  status: 201,
  alternatives: [200],
  handler: async ({ ctx, body, setStatus }) => {
    const agent = await registerAgent(ctx, body);
    if (agent.secret === undefined) setStatus(200);
    return agent;
  },
});

export const get = endpoint({
  method: "GET",
  path: "/agents/{uid}/",
  id: "agents.get",
  summary: "Get an agent with its statistics",
  permission: ["agents.read"],
  role: "member",
  params: AgentUid,
  response: AgentDetail,
  handler: ({ ctx, params }) => getAgent(ctx, params.uid),
});

export const replace = endpoint({
  method: "PUT",
  path: "/agents/{uid}/",
  id: "agents.replace",
  summary: "Replace an agent",
  description: "What is not sent gets its default. The secret stays: delete and register again for another.",
  permission: ["agents.write"],
  role: "admin",
  params: AgentUid,
  body: ReplaceAgent,
  response: AgentResource,
  exists,
  handler: ({ ctx, params, body }) => updateAgent(ctx, params.uid, body),
});

export const update = endpoint({
  method: "PATCH",
  path: "/agents/{uid}/",
  id: "agents.update",
  summary: "Update an agent",
  permission: ["agents.write"],
  role: "admin",
  params: AgentUid,
  body: UpdateAgent,
  response: AgentResource,
  exists,
  handler: ({ ctx, params, body }) => updateAgent(ctx, params.uid, body),
});

export const remove = endpoint({
  method: "DELETE",
  path: "/agents/{uid}/",
  id: "agents.delete",
  summary: "Delete an agent",
  description: "Its executions go with it.",
  permission: ["agents.write"],
  role: "admin",
  params: AgentUid,
  status: 204,
  handler: ({ ctx, params }) => deleteAgent(ctx, params.uid),
});

export const executions = endpoint({
  method: "GET",
  path: "/agents/{uid}/executions/",
  id: "agents.executions",
  frequent: true,
  summary: "List an agent's executions",
  permission: ["agents.read"],
  role: "member",
  params: AgentUid,
  query: ExecutionFilters,
  response: toPageSchema(ExecutionResource),
  handler: ({ ctx, params, query }) => listExecutions(ctx, params.uid, query),
});

export const action = endpoint({
  method: "POST",
  path: "/agent-actions/",
  id: "agent-actions.submit",
  summary: "Submit an agent action",
  description:
    "approve and reject decide the result it is about, unless the key's owner submitted it; flag and skip are recorded. " +
    "One action an execution, in time. Members act for agents that poll.",
  permission: ["agents.write"],
  role: "member",
  body: SubmitAction,
  response: ActionTaken,
  handler: ({ ctx, body }) => submitAction(ctx, body),
});

export const test = endpoint({
  method: "POST",
  path: "/agents/{uid}/test/",
  id: "agents.test",
  summary: "Send a test ping",
  permission: ["agents.write"],
  role: "admin",
  params: AgentUid,
  response: PingQueued,
  status: 202,
  handler: ({ ctx, params }) => pingAgent(ctx, params.uid),
});
