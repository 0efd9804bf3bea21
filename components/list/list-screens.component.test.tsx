import type { ReactNode } from "react";
import { beforeEach, describe, expect, test } from "vitest";
import { AgentList } from "@/components/agents/agent-list";
import { ChannelList } from "@/components/channels/channel-list";
import { DatasetList } from "@/components/datasets/dataset-list";
import { DeviceList } from "@/components/devices/device-list";
import { EventList } from "@/components/events/event-list";
import { ExportList } from "@/components/exports/export-list";
import { GroupList } from "@/components/groups/group-list";
import { MetricList } from "@/components/health/metric-list";
import { ProjectList } from "@/components/projects/project-list";
import { RecordingList } from "@/components/recordings/recording-list";
import { RuleList } from "@/components/rules/rule-list";
import { SilenceList } from "@/components/silences/silence-list";
import { SliceList } from "@/components/slices/slice-list";
import { StorageList } from "@/components/storage/storage-list";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, connect, listInputs, refuse, type Procedure } from "@/components/testing/network";
import { WebhookList } from "@/components/webhooks/webhook-list";

interface ListScreen {
  title: string;
  /** Where it is another word than the title. */
  noun?: string;
  screen: ReactNode;
  path: string;
  procedure: Procedure;
  /** Gives the list no rows. */
  answerNothing: () => void;
  /** The button that makes the first row, where a person makes it. */
  action?: string;
  /** What is said when there is nothing. */
  none: string;
  /** One filter, as in the address. */
  filter: string;
}

const nothing = { results: [], next: null, previous: null };

const lists: readonly ListScreen[] = [
  {
    title: "Devices",
    screen: <DeviceList />,
    path: "/devices",
    procedure: "fleet.devices",
    answerNothing: () => answer("fleet.devices", nothing),
    action: "Register device",
    none: "No devices yet",
    filter: "status=offline",
  },
  {
    title: "Recordings",
    screen: <RecordingList />,
    path: "/recordings",
    procedure: "recordings.overview",
    answerNothing: () => answer("recordings.overview", nothing),
    action: "Upload recordings",
    none: "No recordings yet",
    filter: "status=error",
  },
  {
    title: "Events",
    screen: <EventList />,
    path: "/events",
    procedure: "events.overview",
    answerNothing: () => answer("events.overview", nothing),
    none: "No events yet",
    filter: "severity=info",
  },
  {
    title: "Rules",
    screen: <RuleList />,
    path: "/rules",
    procedure: "rules.list",
    answerNothing: () => answer("rules.list", nothing),
    action: "New rule",
    none: "No rules yet",
    filter: "search=nothing-like-this",
  },
  {
    title: "Webhooks",
    screen: <WebhookList />,
    path: "/webhooks",
    procedure: "webhooks.overview",
    answerNothing: () => answer("webhooks.overview", nothing),
    action: "New webhook",
    none: "No webhooks yet",
    filter: "state=off",
  },
  {
    title: "Agents",
    screen: <AgentList />,
    path: "/agents",
    procedure: "agents.overview",
    answerNothing: () => answer("agents.overview", nothing),
    action: "Register an agent",
    none: "No agents yet",
    filter: "mode=cloud",
  },
  {
    title: "Exports",
    screen: <ExportList />,
    path: "/exports",
    procedure: "exports.overview",
    answerNothing: () => answer("exports.overview", nothing),
    action: "New export",
    none: "No exports yet",
    filter: "status=aborted",
  },
  {
    title: "Datasets",
    screen: <DatasetList />,
    path: "/datasets",
    procedure: "datasets.overview",
    answerNothing: () => answer("datasets.overview", nothing),
    action: "New dataset",
    none: "No datasets yet",
    filter: "search=nothing-like-this",
  },
  {
    title: "Slices",
    screen: <SliceList />,
    path: "/slices",
    procedure: "slices.overview",
    answerNothing: () => answer("slices.overview", nothing),
    action: "New slice",
    none: "No slices yet",
    filter: "search=nothing-like-this",
  },
  {
    title: "Metrics",
    screen: <MetricList />,
    path: "/settings/health",
    procedure: "health.metrics",
    answerNothing: () => answer("health.metrics", nothing),
    none: "No metrics yet",
    filter: "search=nothing-like-this",
  },
  {
    title: "Projects",
    screen: <ProjectList />,
    path: "/projects",
    procedure: "projects.overview",
    answerNothing: () => answer("projects.overview", nothing),
    none: "No projects yet",
    filter: "search=nothing-like-this",
  },
  {
    title: "Storage",
    noun: "buckets",
    screen: <StorageList />,
    path: "/storage",
    procedure: "storage.overview",
    answerNothing: () => answer("storage.overview", nothing),
    action: "Connect a bucket",
    none: "Muster keeps your files itself",
    filter: "search=nothing-like-this",
  },
  {
    title: "Channels",
    screen: <ChannelList />,
    path: "/settings/channels",
    procedure: "channels.overview",
    answerNothing: () => answer("channels.overview", nothing),
    action: "Create channel",
    none: "No channels yet",
    filter: "type=slack",
  },
  {
    title: "Groups",
    screen: <GroupList />,
    path: "/groups",
    procedure: "groups.overview",
    answerNothing: () => answer("groups.overview", nothing),
    action: "New group",
    none: "No groups yet",
    filter: "search=nothing-like-this",
  },
  {
    title: "Silences",
    screen: <SilenceList />,
    path: "/settings/silences",
    procedure: "silences.list",
    answerNothing: () => answer("silences.list", nothing),
    action: "Create silence",
    none: "No silences yet",
    filter: "state=expired",
  },
];

/** What filters and charts around the lists ask for. */
beforeEach(() => {
  answer("devices.vocabulary", { types: [], tags: [], firmware: [] });
  answer("devices.list", nothing);
  answer("events.histogram", null);
  answer("events.vocabulary", { tags: [] });
  answer("exports.sources", []);
  answer("fleet.firmware", []);
  answer("groups.list", nothing);
  answer("health.columns", { chosen: null, columns: [], sortable: true });
  answer("recordings.vocabulary", { tags: [], topics: [] });
});

describe.each(lists)(
  "$title",
  ({ title, noun = title.toLowerCase(), screen, path, procedure, answerNothing, none, filter }) => {
    test("a list that is refused shows the reason and the request id, and can be retried", async () => {
      refuse(procedure, { status: 400, detail: "Value is no such thing.", request_id: "req_of_this_list" });
      const shown = await show(screen, path);
      const alert = shown.getByRole("alert").filter({ hasText: `${title} could not be loaded` });
      await expect.element(alert).toHaveTextContent("Value is no such thing.");
      await expect.element(alert).toHaveTextContent(/Request/);
      expect(listInputs(procedure)).toHaveLength(1);
      answerNothing();
      await alert.getByRole("button", { name: "Retry" }).click();
      await expect.element(shown.getByRole("heading", { name: none })).toBeVisible();
    });

    test("a list whose requests fail says so, and can be retried", async () => {
      connect(false);
      const shown = await show(screen, path);
      const alert = shown.getByRole("alert").filter({ hasText: `${title} could not be loaded` });
      await expect.element(alert).toHaveTextContent("The server could not be reached.");
      connect(true);
      answerNothing();
      await alert.getByRole("button", { name: "Retry" }).click();
      await expect.element(shown.getByRole("heading", { name: none })).toBeVisible();
    });

    test("an empty list says so, and is accessible at every width, in both themes", async () => {
      answerNothing();
      const shown = await show(screen, path);
      await expect.element(shown.getByRole("heading", { name: none })).toBeVisible();
      await expectGoodLooks();
    });

    test("a filter that matches nothing is named, and one press clears it", async () => {
      answerNothing();
      const shown = await show(screen, `${path}?${filter}`);
      await expect.element(shown.getByRole("heading", { name: `No ${noun} match this filter` })).toBeVisible();
      await expectGoodLooks();
      await shown.getByRole("button", { name: /^Clear filter/ }).click();
      await expect.element(shown.getByRole("heading", { name: none })).toBeVisible();
      expect(location.pathname + location.search).toBe(path);
    });
  },
);

const acting = lists.flatMap((list) => (list.action === undefined ? [] : [{ ...list, action: list.action }]));

test.each(acting)(
  "$title: who can only view reads why at “$action”",
  async ({ screen, path, answerNothing, action }) => {
    answerNothing();
    const shown = await show(screen, path, { role: "member", readOnly: true });
    const button = shown.getByRole("button", { name: action }).first();
    await expect.element(button).toHaveAttribute("aria-disabled", "true");
    await expect.element(button).toHaveAccessibleDescription("You can only view.");
    await button.hover();
    await expect.element(shown.getByText("You can only view.").first()).toBeVisible();
  },
);
