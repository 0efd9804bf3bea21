"use client";

import { useQuery } from "@tanstack/react-query";
import { Plus, Download } from "lucide-react";
import { parseAsString, parseAsStringLiteral, useQueryState } from "nuqs";
import { Suspense, useMemo, useState } from "react";
import { Button, buttonStyles } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { EmptyState } from "@/components/kit/empty-state";
import type { FilterDefinition, Filters } from "@/components/kit/filters";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { toOptions } from "@/components/kit/options";
import { PageHeader } from "@/components/kit/page-header";
import { nextPage } from "@/components/list/list-input";
import { ListTable } from "@/components/list/list-table";
import { useListPage } from "@/components/list/use-list-page";
import { useOrdering } from "@/components/list/use-ordering";
import { useOrigin } from "@/components/product/origin";
import { usePermissions } from "@/components/product/permissions";
import { SavedViews } from "@/components/saved/saved-views";
import { useTRPC } from "@/components/trpc/client";
import type { DeviceStatus } from "@/domain/devices/connectivity";
import { guideHref } from "@/domain/docs/guides";
import { fleetPageSize } from "@/domain/limits";
import { deviceGroupings } from "@/domain/overview/groupings";
import { DeviceBulkBar } from "./bulk-bar";
import { registerCommand } from "./commands";
import { useDeviceActions } from "./device-actions";
import { DeviceDrawer } from "./device-drawer";
import { DeviceGroups, GroupBy } from "./device-groups";
import { FirmwareBar } from "./firmware-bar";
import { metadataParameter, metadataText } from "./metadata-filter";
import { listInput, listQuery } from "./query";
import { useDeviceColumns } from "./use-device-columns";

// Loaded when they are opened; the first brings the form library.
const RegisterDialog = lazyDialog(async () => (await import("./register-dialog")).RegisterDialog);
const MetricColumnsDialog = lazyDialog(async () => (await import("./metric-columns-dialog")).MetricColumnsDialog);

/** Heartbeats that change no state are not announced, so last-seen times are polled. */
const refreshMs = 30_000;

const statuses = toOptions<DeviceStatus>({ online: "Online", offline: "Offline", maintenance: "Maintenance" });

const yesNo = [
  { value: "true", label: "Some" },
  { value: "false", label: "None" },
];

const silences = [
  { value: "1h", label: "1 hour" },
  { value: "24h", label: "1 day" },
  { value: "7d", label: "7 days" },
  { value: "30d", label: "30 days" },
];

function useDefinitions(): readonly FilterDefinition[] {
  const trpc = useTRPC();
  const known = useQuery(trpc.devices.vocabulary.queryOptions()).data;
  const groups = useQuery(trpc.groups.list.queryOptions({ limit: fleetPageSize.max })).data?.results;
  return useMemo(
    () => [
      { key: "status", label: "Status", options: statuses, multiple: true },
      { key: "type", label: "Type", suggest: () => known?.types ?? [], multiple: true },
      { key: "tags", label: "Tag", suggest: () => known?.tags ?? [], multiple: true, example: "hall-2" },
      { key: "any_tags", label: "Any tag", suggest: () => known?.tags ?? [], multiple: true, example: "hall-1" },
      {
        key: "firmware",
        label: "Firmware",
        suggest: () => [...(known?.firmware ?? []), "none"],
        multiple: true,
        example: "2.8.0",
      },
      { key: "open_alerts", label: "Open alerts", options: yesNo },
      { key: "not_seen_for", label: "Not seen for", options: silences },
      {
        key: "group_id",
        label: "Group",
        options: (groups ?? []).map(({ uid, name }) => ({ value: uid, label: name })),
        multiple: true,
      },
      { key: "metadata", label: "Metadata", multiple: true, example: "site=berlin" },
    ],
    [known, groups],
  );
}

/** The filters as the bar shows them: `metadata` is JSON in the address and pairs in the bar. */
const withLabels = (filters: Filters): Filters => ({
  ...filters,
  values: { ...filters.values, metadata: metadataText(filters.values.metadata ?? null) },
  set: (key, value) => filters.set(key, key === "metadata" ? metadataParameter(value) : value),
});

/** Every device of the organization: filters in the address, a drawer beside it, updated while it is open. */
export function DeviceList() {
  const trpc = useTRPC();
  const origin = useOrigin();
  const definitions = useDefinitions();
  const { refusal } = usePermissions();
  const [register, setRegister] = useQueryState("register", parseAsString.withOptions({ history: "push" }));
  const [group, setGroup] = useQueryState(
    "group",
    parseAsStringLiteral(deviceGroupings).withOptions({ history: "push" }),
  );
  const columns = useDeviceColumns();
  const { ordering, onOrderingChange } = useOrdering("");
  const [isChoosing, setChoosing] = useState(false);
  const list = useListPage({
    definitions,
    textKey: "search",
    query: (values) =>
      trpc.fleet.devices.infiniteQueryOptions(listInput({ ...values, ordering }), {
        ...nextPage,
        refetchInterval: refreshMs,
      }),
    probe: (values) => trpc.fleet.devices.queryOptions({ ...listInput(values), limit: 1 }),
    // Only the list's own order begins with the newest.
    holdsFresh: ordering === "",
  });
  const { filters } = list;
  const actions = useDeviceActions((uid) => list.deselect([uid]));

  const registerButton = (
    <Button
      variant="primary"
      icon={<Plus aria-hidden />}
      disabledReason={refusal({ role: "admin" })}
      onClick={() => void setRegister("1")}
    >
      Register device
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Devices"
        actions={
          list.isEmpty ? undefined : (
            <>
              <GroupBy value={group} onChange={(next) => void setGroup(next)} />
              <ExportDevices query={listQuery(list.values)} />
              {registerButton}
            </>
          )
        }
      />
      {!list.isEmpty && (
        <FirmwareBar
          chosen={filters.values.firmware ?? null}
          onChoose={(version) => filters.set("firmware", version)}
        />
      )}
      {group ? (
        <DeviceGroups by={group} />
      ) : (
        <ListTable
          {...list.table}
          list={list}
          id="devices"
          label="Devices"
          noun={["device", "devices"]}
          columns={columns}
          ordering={ordering}
          onOrderingChange={onOrderingChange}
          viewMore={
            <Button size="sm" className="self-start" onClick={() => setChoosing(true)}>
              Choose metrics
            </Button>
          }
          rowLabel={(device) => device.name}
          href={(device) => `/devices/${device.uid}`}
          rowMenu={(device) => actions.menu(device, { open: true })}
          filterBar={{
            label: "Filter devices",
            placeholder: "Filter by name, status, type, tag or metadata",
            filters: withLabels(filters),
          }}
          tools={
            <>
              <SavedViews screen="devices" />
            </>
          }
          empty={
            <EmptyState
              kind="nothing-yet"
              title="No devices yet"
              description="A device is a robot, arm, vehicle or drone. It sends heartbeats and uploads what it recorded; rules watch over it."
              action={registerButton}
              curl={{ command: registerCommand(origin), guide: guideHref("devices") }}
            />
          }
          bulkActions={(keys, clear) => <DeviceBulkBar devices={list.findRows(keys)} clear={clear} />}
        />
      )}
      <DeviceDrawer uid={list.selected} row={list.selectedRow} menu={actions.menu} onClose={() => list.select(null)} />
      <Suspense>
        {register === "1" && (
          <RegisterDialog open onClose={() => void setRegister(null)} onRegistered={(uid) => list.showOwn([uid])} />
        )}
        {isChoosing && <MetricColumnsDialog onClose={() => setChoosing(false)} />}
      </Suspense>
      {actions.dialogs}
    </>
  );
}

/** Downloads every device that matches the filters, however many there are, as CSV. */
function ExportDevices({ query }: { query: string }) {
  return (
    <a
      href={`/devices/export${query ? `?${query}` : ""}`}
      download
      className={cn(buttonStyles({ variant: "secondary" }), "max-sm:hidden")}
    >
      <Download aria-hidden />
      Export CSV
    </a>
  );
}
