"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Option } from "@/components/kit/select";
import { usePermissions } from "@/components/product/permissions";
import { useTRPC } from "@/components/trpc/client";
import { fleetPageSize } from "@/domain/limits";
import { proposeOwners } from "./proposed-owners";
import type { RecordingGroup } from "./recording-groups";

/** Whose files are: a device that is registered, or the name of a new one. */
type Owner = { kind: "known"; uid: string; name: string } | { kind: "new"; name: string };

/** What the first device of an organization is called when its files name none. */
const firstName = "robot-1";
/** Before the name of a device that is not registered yet; no uid begins so. */
const newPrefix = "new:";
const toNewName = (value: string | null): string | null =>
  value?.startsWith(newPrefix) ? value.slice(newPrefix.length) : null;

const isNamed = (wanted: string) => (device: { name: string }) => device.name.toLowerCase() === wanted.toLowerCase();

/** What the files say of their device: one name with the device that has it, if there is one, or several names. */
function useNamed(groups: readonly RecordingGroup[], isFirst: boolean) {
  const trpc = useTRPC();
  const names = useQuery(proposeOwners(groups)).data ?? null;
  const [one = isFirst ? firstName : null] = names ?? [null];
  const name = names !== null && names.length > 1 ? null : one;
  const same = useQuery({
    ...trpc.devices.list.queryOptions({ limit: fleetPageSize.max, search: name ?? "" }),
    enabled: name !== null,
  }).data?.results;
  const device = name === null ? undefined : same?.find(isNamed(name));
  return { names: names ?? [], device, unknown: same && !device ? name : null };
}

/** Devices by what was typed. */
function useFound() {
  const trpc = useTRPC();
  const [search, setSearch] = useState("");
  const list = useQuery({
    ...trpc.devices.list.queryOptions({ limit: 50, ...(search && { search }) }),
    placeholderData: (before) => before,
  });
  const found = list.data?.results ?? [];
  const isFirst = search === "" && list.data !== undefined && !list.isPlaceholderData && found.length === 0;
  return { found, isFirst, loading: list.isFetching, typed: search.trim(), setSearch };
}

/**
 * The answer to whose files are, with the others that can be chosen: what was chosen, else the device of the page, else
 * the one that the files name, which admins can have registered with the upload.
 */
export function useOwner(groups: readonly RecordingGroup[], pageDevice: string | null) {
  const trpc = useTRPC();
  const mayRegister = usePermissions().refusal({ role: "admin" }) === undefined;
  const [chosen, setChosen] = useState(pageDevice);
  const { found, isFirst, loading, typed, setSearch } = useFound();
  const named = useNamed(groups, isFirst);
  const proposal = mayRegister && named.unknown !== null ? newPrefix + named.unknown : null;
  const value = chosen ?? named.device?.uid ?? proposal;
  const newName = toNewName(value);

  const listed = [...found, ...(named.device ? [named.device] : [])].find(({ uid }) => uid === value);
  const other = useQuery({
    ...trpc.devices.get.queryOptions({ uid: value ?? "" }),
    enabled: value !== null && newName === null && !listed,
    retry: false,
  }).data;
  const device = listed ?? other;
  const owner: Owner | null =
    newName !== null
      ? { kind: "new", name: newName }
      : value !== null
        ? { kind: "known", uid: value, name: device?.name ?? "" }
        : null;

  const devices = device && !found.some(({ uid }) => uid === device.uid) ? [device, ...found] : found;
  const unknown = mayRegister ? [newName, found.some(isNamed(typed)) ? null : typed, named.unknown] : [];
  const options: Option[] = [
    ...devices.map(({ uid, name, type }) => ({ value: uid, label: name, hint: type === "unknown" ? undefined : type })),
    ...[...new Set(unknown.filter((name) => name !== null && name !== ""))].map((name) => ({
      value: `${newPrefix}${name}`,
      label: String(name),
      hint: "Register it as a new device",
    })),
  ];
  return {
    owner,
    value,
    options,
    loading,
    mayRegister,
    names: named.names,
    unknown: named.unknown,
    setChosen,
    setSearch,
  };
}
