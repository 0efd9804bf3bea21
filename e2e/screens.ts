import type { Api } from "./fixtures";

/** One screen of the product by its address. */
export interface Screen {
  /** Names its pictures: "alerts-drawer". */
  name: string;
  path: string;
  /** The name of a button that is pressed before the picture is taken. */
  press?: string;
}

interface Named {
  uid: string;
}
interface List<Row> {
  results: Row[];
}

const newestTemperatures = encodeURIComponent(
  'select make_timestamp_ns(log_time) as time, device_name, temperature, current, rpm\nfrom "/motor/state"\norder by log_time desc',
);
const temperatures = encodeURIComponent(
  'select device_name, avg(temperature) as average, max(temperature) as hottest\nfrom "/motor/state"\ngroup by device_name\norder by hottest desc',
);

const listDatasetScreens = (path: string): Screen[] => [
  { name: "dataset", path },
  { name: "dataset-table", path: `${path}?view=table&color_by=status` },
  { name: "dataset-health", path: `${path}?tab=health` },
  { name: "dataset-settings", path: `${path}?tab=settings` },
];

/** Every screen behind the sign-in, with the demo fleet's own objects in the addresses. */
export async function listScreens(api: Api): Promise<Screen[]> {
  const first = async <Row extends Named>(path: string, fits: (row: Row) => boolean = () => true): Promise<string> => {
    const { results } = await api.get<List<Row>>(path);
    const row = results.find(fits);
    if (!row) throw new Error(`nothing fits in ${path}`);
    return row.uid;
  };
  const hot = await first<Named & { condition_type: string; builtin: boolean }>(
    "/fleet/rules/?condition_type=threshold",
    (rule) => !rule.builtin,
  );
  const alert = (
    await api.get<List<Named & { recording_id: string | null; device_id: string; triggered_at: string }>>(
      `/fleet/alerts/?rule_id=${hot}`,
    )
  ).results.find((each) => each.recording_id !== null);
  if (!alert) throw new Error("the rule has no alert");
  const event = await first("/fleet/events/");
  const seen = await first("/fleet/recordings/?has_topic=/camera/front/image/compressed");
  const device = alert.device_id;
  const other = await first(
    `/fleet/recordings/?status=ready&device_id=${device}`,
    ({ uid }) => uid !== alert.recording_id,
  );
  const group = await first("/fleet/groups/");
  const [dataset] = (
    await api.get<List<Named & { owner_name: string; slug: string; item_count: number }>>("/datasets/")
  ).results.sort((a, b) => b.item_count - a.item_count);
  const [item] = dataset
    ? (await api.get<List<Named>>(`/datasets/${dataset.owner_name}/${dataset.slug}/items/`)).results
    : [];
  const slice = await first(`/slices/${dataset?.owner_name}/list/`);
  const project = await first(`/projects/${dataset?.owner_name}/`);
  const agent = await first("/agents/");
  const exported = await first<Named & { status: string }>("/exports/", ({ status }) => status === "exported");
  const webhook = await first<Named & { target_url: string }>("/webhooks/", ({ target_url: url }) =>
    url.endsWith("/refused"),
  );
  const storage = await first("/storage-configs/");
  const channel = await first("/fleet/alerts/channels/");
  return [
    { name: "overview", path: "/overview" },
    { name: "devices", path: "/devices" },
    { name: "devices-drawer", path: `/devices?selected=${device}` },
    { name: "devices-register", path: "/devices?register=1" },
    { name: "groups", path: "/groups" },
    { name: "group", path: `/groups/${group}` },
    { name: "group-uses", path: `/groups/${group}?tab=uses` },
    { name: "device", path: `/devices/${device}` },
    { name: "device-chart", path: `/devices/${device}?chart=battery_percent` },
    ...["timeline", "recordings", "events", "alerts", "rules", "activity"].map((tab) => ({
      name: `device-${tab}`,
      path: `/devices/${device}?tab=${tab}`,
    })),
    { name: "device-metadata", path: `/devices/${device}?tab=metadata` },
    { name: "recordings", path: "/recordings" },
    { name: "recordings-upload", path: "/recordings?upload=1" },
    { name: "recording", path: `/recordings/${alert.recording_id}` },
    { name: "recording-cameras", path: `/recordings/${seen}` },
    {
      name: "recording-compare",
      path: `/recordings/compare?a=${alert.recording_id}&b=${other}&t=${alert.triggered_at}`,
    },
    { name: "recording-compare-choose", path: `/recordings/compare?a=${seen}` },
    { name: "events", path: "/events" },
    { name: "events-drawer", path: `/events?selected=${event}` },
    { name: "rules", path: "/rules" },
    { name: "rule-hits", path: `/rules/${hot}` },
    { name: "rule-versions", path: `/rules/${hot}?tab=versions` },
    { name: "rule-preview", path: `/rules/${hot}?tab=preview` },
    { name: "rule-evaluations", path: `/rules/${hot}?tab=evaluations` },
    { name: "rule-noise", path: `/rules/${hot}?tab=noise` },
    { name: "rule-edit", path: `/rules/${hot}/edit` },
    { name: "rule-new", path: "/rules/new" },
    { name: "alerts", path: "/alerts" },
    { name: "alerts-drawer", path: `/alerts?selected=${alert.uid}` },
    { name: "alert", path: `/alerts/${alert.uid}` },
    { name: "storage", path: "/storage" },
    { name: "storage-new", path: "/storage/new" },
    { name: "storage-page", path: `/storage/${storage}` },
    { name: "storage-tests", path: `/storage/${storage}?tab=tests` },
    { name: "storage-set-up", path: `/storage/${storage}?tab=set-up` },
    { name: "webhooks", path: "/webhooks" },
    { name: "webhooks-new", path: "/webhooks/new" },
    { name: "webhook", path: `/webhooks/${webhook}` },
    { name: "webhook-settings", path: `/webhooks/${webhook}?tab=settings` },
    { name: "webhook-verify", path: `/webhooks/${webhook}?tab=verify` },
    { name: "webhook-code", path: `/webhooks/${webhook}?tab=code` },
    { name: "sql", path: `/sql?sql=${newestTemperatures}`, press: "Run" },
    { name: "sql-chart", path: `/sql?sql=${temperatures}&tab=chart`, press: "Run" },
    { name: "sql-examples", path: "/sql" },
    { name: "datasets", path: "/datasets" },
    { name: "datasets-new", path: "/datasets?new=1" },
    ...(dataset ? listDatasetScreens(`/datasets/${dataset.owner_name}/${dataset.slug}`) : []),
    ...(dataset && item
      ? [
          { name: "dataset-uploads", path: `/datasets/${dataset.owner_name}/${dataset.slug}?tab=uploads` },
          { name: "item", path: `/datasets/${dataset.owner_name}/${dataset.slug}/items/${item.uid}` },
        ]
      : []),
    { name: "slices", path: "/slices" },
    { name: "slices-new", path: "/slices/new" },
    { name: "slice", path: `/slices/${slice}` },
    { name: "projects", path: "/projects" },
    { name: "tasks", path: "/tasks?list=all" },
    { name: "project", path: `/projects/${project}` },
    { name: "project-review", path: `/projects/${project}/review` },
    { name: "project-tasks", path: `/projects/${project}?tab=tasks` },
    { name: "project-people", path: `/projects/${project}?tab=people` },
    { name: "project-batches", path: `/projects/${project}?tab=batches` },
    { name: "project-new", path: "/projects/new" },
    { name: "project-guide", path: `/projects/${project}?tab=guide` },
    { name: "project-labels", path: `/projects/${project}?tab=labels` },
    { name: "project-settings", path: `/projects/${project}?tab=settings` },
    { name: "exports", path: "/exports" },
    { name: "exports-new", path: "/exports/new" },
    { name: "export", path: `/exports/${exported}` },
    { name: "agents", path: "/agents" },
    { name: "agents-register", path: "/agents?register=1" },
    { name: "agent", path: `/agents/${agent}` },
    { name: "silences", path: "/settings/silences" },
    { name: "silences-new", path: "/settings/silences?new=1" },
    { name: "channels", path: "/settings/channels" },
    { name: "channels-drawer", path: `/settings/channels?selected=${channel}` },
    { name: "organization", path: "/settings/organization" },
    { name: "mcp", path: "/settings/mcp" },
    { name: "members", path: "/settings/members" },
    { name: "members-invitations", path: "/settings/members?tab=invitations" },
    { name: "members-roles", path: "/settings/members?tab=roles" },
    { name: "members-security", path: "/settings/members?tab=security" },
    { name: "api-keys", path: "/settings/api-keys" },
    { name: "health", path: "/settings/health" },
    { name: "message-definitions", path: "/settings/message-definitions" },
    { name: "robot-descriptions", path: "/settings/robot-descriptions" },
    { name: "audit", path: "/settings/audit" },
    { name: "profile", path: "/settings/profile" },
    { name: "not-found", path: "/alerts/none" },
    { name: "docs", path: "/docs" },
    { name: "docs-guide", path: "/docs/webhooks" },
    { name: "api-reference", path: "/docs/api" },
    { name: "api-reference-area", path: "/docs/api/rules" },
  ];
}
