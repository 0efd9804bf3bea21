interface Guide {
  title: string;
  /** One line for the index. */
  description: string;
  /** Its Markdown, which is part of the repository's own documentation. */
  file: string;
}

const start = {
  "first-steps": {
    title: "First steps",
    description: "From an API key to a device that sends heartbeats, a recording and a rule.",
    file: "docs/first-steps.md",
  },
  "quick-start": {
    title: "Tour on your own machine",
    description: "From nothing to a resolved alert, with a receiver of webhooks that checks their signatures.",
    file: "docs/quick-start.md",
  },
  "data-loop": {
    title: "The data loop",
    description: "From pictures to annotations and an export, with an agent and a model.",
    file: "docs/data-loop.md",
  },
} as const satisfies Record<string, Guide>;

const api = {
  "rest-api": {
    title: "The REST API",
    description: "Authentication, scopes, roles, versions, values, generated clients and tools for models.",
    file: "docs/api.md",
  },
  errors: {
    title: "Errors",
    description: "Every status with an example, and what a client should do about it.",
    file: "docs/errors.md",
  },
  paging: {
    title: "Paging",
    description: "How to read a list to its end, and how to follow what is new.",
    file: "docs/paging.md",
  },
  filters: {
    title: "Filters",
    description: "Parameters of lists, and the filter language of slices and exports.",
    file: "docs/filters.md",
  },
  limits: {
    title: "Limits",
    description: "Rate limits, their headers, and the sizes that are accepted.",
    file: "docs/limits.md",
  },
  idempotency: {
    title: "Repeating requests",
    description: "What can be repeated safely, and Idempotency-Key for what cannot.",
    file: "docs/idempotency.md",
  },
  roles: {
    title: "Roles and scopes",
    description: "Who may call which operation, as a table.",
    file: "docs/roles.md",
  },
  changelog: {
    title: "Changelog",
    description: "What changed in each version.",
    file: "CHANGELOG.md",
  },
} as const satisfies Record<string, Guide>;

const fleet = {
  devices: {
    title: "Devices and tokens",
    description: "Registration, tokens, heartbeats, metadata, groups and maintenance.",
    file: "docs/devices.md",
  },
  health: {
    title: "Health",
    description: "What heartbeats say about a device, kept over time.",
    file: "docs/health.md",
  },
  uploads: {
    title: "Uploads",
    description: "How recordings and items of datasets are uploaded, and resumed after an interruption.",
    file: "docs/uploads.md",
  },
  recordings: {
    title: "Watching recordings",
    description: "Cameras, maps, logs and plots on one playhead: which message is shown how.",
    file: "docs/recordings.md",
  },
  foxglove: {
    title: "Panels and Foxglove",
    description: "What a recording's page has of Foxglove's panels, what it has not, and what it has beyond them.",
    file: "docs/foxglove.md",
  },
  items: {
    title: "Looking at datasets",
    description: "The grid of items and its keys, uploading folders, and the page of an item.",
    file: "docs/items.md",
  },
  annotation: {
    title: "Labelling pictures",
    description: "Projects, labels and tasks, the editor and its keys, what is never lost, and labelling by programs.",
    file: "docs/annotation.md",
  },
  review: {
    title: "Reviewing results",
    description: "Who decides, rejecting with pinned issues, rounds, corrections, and the numbers of a project.",
    file: "docs/review.md",
  },
  formats: {
    title: "Formats of exports and imports",
    description:
      "What YOLO, COCO, CVAT, Label Studio and JSON hold of shapes, what becomes of the rest, and importing them.",
    file: "docs/formats.md",
  },
  events: {
    title: "Events",
    description: "Marking moments of recordings, one by one and in batches.",
    file: "docs/events.md",
  },
  rules: {
    title: "Rules",
    description: "Condition types, operators, field paths, scopes, actions and evaluation results.",
    file: "docs/rules.md",
  },
  alerts: {
    title: "Alerts and silences",
    description: "The life of an alert, triage by the API, channels, and silences.",
    file: "docs/alerts.md",
  },
} as const satisfies Record<string, Guide>;

const connect = {
  webhooks: {
    title: "Webhooks",
    description: "Every event with its body, retries, signatures, and alerts sent to your own address.",
    file: "docs/webhooks.md",
  },
  agents: {
    title: "Agents",
    description: "Programs that act on events: polling, callbacks, actions and time limits.",
    file: "docs/agents.md",
  },
  models: {
    title: "Models of your own",
    description: "Connecting a model, what it is asked and answers, a server in Python, and runs.",
    file: "docs/models.md",
  },
  mcp: {
    title: "Tools for models",
    description: "The Model Context Protocol: connecting, tools by area, limits, and five questions answered.",
    file: "docs/mcp.md",
  },
  sql: {
    title: "SQL",
    description: "One SELECT over the signals of all recordings, here or on the bucket.",
    file: "docs/sql.md",
  },
  buckets: {
    title: "Buckets of your own",
    description: "Storing files on Amazon S3, a store with its protocol, or Google Cloud Storage.",
    file: "docs/buckets.md",
  },
} as const satisfies Record<string, Guide>;

/** The public guides by the name in their address, `/docs/<name>`. `/docs/api` is the reference. */
export const guides = { ...start, ...api, ...fleet, ...connect };
export type GuideName = keyof typeof guides;
export type GuideFile = (typeof guides)[GuideName]["file"];

export const guideNames = Object.keys(guides) as GuideName[];
export const isGuideName = (name: string): name is GuideName => Object.hasOwn(guides, name);

const listNames = (group: Partial<Record<GuideName, Guide>>) => Object.keys(group) as GuideName[];

export const guideGroups: readonly { heading: string; names: readonly GuideName[] }[] = [
  { heading: "Start", names: listNames(start) },
  { heading: "The API", names: listNames(api) },
  { heading: "Fleet", names: listNames(fleet) },
  { heading: "Connect", names: listNames(connect) },
];

/** The address of a guide, or of a heading in it. */
export const guideHref = (name: GuideName, anchor?: string): string =>
  `/docs/${name}${anchor === undefined ? "" : `#${anchor}`}`;

/** Where a link of a guide's Markdown leads in the product; null when it leads to no page of it. */
export function resolveGuideLink(from: GuideName, link: string): string | null {
  if (link.startsWith("#") || /^[a-z]+:/.test(link)) return link;
  const { pathname, hash } = new URL(link, `file:///${guides[from].file}`);
  const name = guideNames.find((each) => `/${guides[each].file}` === pathname);
  return name === undefined ? null : `${guideHref(name)}${hash}`;
}
