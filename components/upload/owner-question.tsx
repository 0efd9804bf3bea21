"use client";

import { Combobox } from "@/components/kit/combobox";
import { Field } from "@/components/kit/field";
import { useAdminNames } from "@/components/organizations/member-names";
import type { useOwner } from "./use-owner";

const join = (names: readonly string[], max: number, rest: string): string =>
  names.length > max ? `${names.slice(0, max).join(", ")} ${rest}` : names.join(" or ");

/** Asks whose files are, with what the files say of it as the answer. */
export function OwnerQuestion({ of }: { of: ReturnType<typeof useOwner> }) {
  const { mayRegister, value, options, loading, setChosen, setSearch } = of;
  const names = useAdminNames({ enabled: !mayRegister });
  const admins = names.length === 0 ? "an admin" : join(names, 3, "or another admin");
  return (
    <Field label="Whose is it?" hint={explain(of, admins)}>
      <Combobox
        options={options}
        value={value}
        onValueChange={setChosen}
        onSearch={setSearch}
        loading={loading}
        placeholder="The device that recorded it"
        emptyText={mayRegister ? "Type the name of a new device" : "No device with that name"}
      />
    </Field>
  );
}

/** What follows from the answer, or why there is none. */
function explain({ owner, names, unknown, mayRegister }: ReturnType<typeof useOwner>, admins: string) {
  if (owner?.kind === "known") return undefined;
  if (owner)
    return "A new device, registered with this upload. It gets a token on its page, once it is to upload itself.";
  if (names.length > 1)
    return `The files name several devices: ${join(names, 3, "…")}. Upload those of one device at a time.`;
  if (mayRegister) return "Choose the device that recorded it, or type the name of a new one.";
  if (unknown !== null) return `No device is called “${unknown}”. Choose another, or ask ${admins} to register it.`;
  return `Choose the device that recorded it, or ask ${admins} to register it.`;
}
