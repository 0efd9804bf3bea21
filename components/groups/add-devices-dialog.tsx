"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { useDemoFilter } from "@/components/demo-fleet/demo-choice";
import { Button } from "@/components/kit/button";
import { Checkbox } from "@/components/kit/checkbox";
import { Dialog, DialogActions } from "@/components/kit/dialog";
import { formatNumber, plural } from "@/components/kit/format";
import { Input } from "@/components/kit/input";
import { toOptions } from "@/components/kit/options";
import { Select } from "@/components/kit/select";
import { SkeletonText } from "@/components/kit/skeleton";
import { ErrorState } from "@/components/product/error-state";
import { StatusMark } from "@/components/product/status";
import { useTRPC } from "@/components/trpc/client";
import type { DeviceStatus } from "@/domain/devices/connectivity";
import type { Group } from "./query";
import { useChangeDevices } from "./use-change-devices";

const shown = 100;
const any = "";
const statuses = toOptions<DeviceStatus>({ online: "Online", offline: "Offline", maintenance: "Maintenance" });
const withAny = (label: string, values: readonly { value: string; label: string }[]) => [
  { value: any, label },
  ...values,
];
const named = (values: readonly string[]) => values.map((value) => ({ value, label: value }));

/** Adds devices to a group: of those that are not in it, some that are ticked or all that match. */
export function AddDevicesDialog({ group, onClose }: { group: Pick<Group, "uid" | "name">; onClose: () => void }) {
  const trpc = useTRPC();
  const demo = useDemoFilter();
  const [filters, setFilters] = useState({ search: "", type: any, tag: any, status: any });
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [busy, setBusy] = useState<"some" | "all" | null>(null);
  const { add } = useChangeDevices(group);
  const known = useQuery(trpc.devices.vocabulary.queryOptions()).data;
  const search = useDeferredValue(filters.search.trim());
  const input = {
    ...demo,
    not_in_group: group.uid,
    ...(search !== "" && { search }),
    ...(filters.type !== any && { type: filters.type }),
    ...(filters.tag !== any && { tags: filters.tag }),
    ...(filters.status !== any && { status: filters.status }),
  };
  const query = useQuery({
    ...trpc.fleet.devices.queryOptions({ ...input, limit: shown }),
    placeholderData: keepPreviousData,
  });
  const rows = query.data?.results;
  const isAny = Object.values(filters).every((value) => value.trim() === any);
  const more = query.data?.next != null;
  const set = (change: Partial<typeof filters>) => setFilters({ ...filters, ...change });
  const tick = (uid: string, on: boolean) => {
    const next = new Set(ticked);
    if (on) next.add(uid);
    else next.delete(uid);
    setTicked(next);
  };
  const run = async (kind: "some" | "all") => {
    setBusy(kind);
    if (await add(kind === "all" ? { filters: input } : { device_ids: [...ticked] })) onClose();
    else setBusy(null);
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Add devices to ${group.name}`}
      footer={
        <>
          <Button
            className="mr-auto"
            busy={busy === "all"}
            disabled={busy !== null || !rows || rows.length === 0}
            onClick={() => void run("all")}
          >
            Add all {more ? "that match" : formatNumber(rows?.length ?? 0)}
          </Button>
          <DialogActions
            action={ticked.size === 0 ? "Add devices" : `Add ${plural(ticked.size, "device")}`}
            busy={busy === "some"}
            disabled={busy !== null || ticked.size === 0}
            onAction={() => run("some")}
            onCancel={onClose}
          />
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <Input
          aria-label="Search devices"
          placeholder="Name or uid"
          before={<Search aria-hidden />}
          value={filters.search}
          onValueChange={(value) => set({ search: value })}
          autoComplete="off"
        />
        <div className="grid grid-cols-3 gap-2">
          <Select
            aria-label="Type"
            placeholder="Any type"
            value={filters.type}
            onValueChange={(type) => set({ type })}
            options={withAny("Any type", named(known?.types ?? []))}
          />
          <Select
            aria-label="Tag"
            placeholder="Any tag"
            value={filters.tag}
            onValueChange={(tag) => set({ tag })}
            options={withAny("Any tag", named(known?.tags ?? []))}
          />
          <Select
            aria-label="Status"
            placeholder="Any status"
            value={filters.status}
            onValueChange={(status) => set({ status })}
            options={withAny("Any status", statuses)}
          />
        </div>
        {query.error && !rows ? (
          <ErrorState
            error={query.error}
            title="The devices could not be loaded"
            onRetry={() => void query.refetch()}
          />
        ) : !rows ? (
          <SkeletonText lines={6} />
        ) : (
          <ul aria-label="Devices" className="h-72 overflow-y-auto rounded-panel border border-border" tabIndex={0}>
            {rows.map((device) => (
              <li key={device.uid} className="border-b border-border last:border-b-0">
                <Checkbox
                  className="min-h-9 items-center px-3"
                  checked={ticked.has(device.uid)}
                  onCheckedChange={(on) => tick(device.uid, on)}
                  label={
                    <span className="flex min-w-0 items-center gap-2">
                      <StatusMark tone={device.status} />
                      <span className="truncate">{device.name}</span>
                      <span className="truncate text-meta text-subtle">{device.type}</span>
                    </span>
                  }
                />
              </li>
            ))}
            {rows.length === 0 && (
              <li className="p-3 text-table text-subtle">
                {isAny ? "Every device is in it already." : "No other device matches."}
              </li>
            )}
            {more && <li className="p-3 text-meta text-subtle">The first {shown}. Narrow the search to see others.</li>}
          </ul>
        )}
      </div>
    </Dialog>
  );
}
