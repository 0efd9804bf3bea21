"use client";

import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useState } from "react";
import { Combobox } from "@/components/kit/combobox";
import { Field } from "@/components/kit/field";
import { IconButton } from "@/components/kit/icon-button";
import { RadioGroup } from "@/components/kit/radio-group";
import { SkeletonText } from "@/components/kit/skeleton";
import { fullName, useAdminNames } from "@/components/organizations/member-names";
import { toast } from "@/components/product/toast";
import { useTRPC } from "@/components/trpc/client";
import { accesses } from "@/domain/organizations/assignment";
import { hasRole } from "@/domain/permissions";

type Access = (typeof accesses)[number];

const accessLabels: Readonly<Record<Access, { label: string; hint: string }>> = {
  organization: { label: "Everybody", hint: "Every member of the organization sees it." },
  assigned: { label: "Assigned members", hint: "Only members who are assigned to it, and admins." },
};

export const accessOptions = accesses.map((value) => ({ value, ...accessLabels[value] }));

export interface AccessChoiceProps {
  access: Access;
  /** Why the person cannot change it, nor see who is assigned. */
  reason: string | undefined;
  /** Those assigned; undefined while they are loaded. */
  assigned: readonly { user_uid: string; username: string; email: string }[] | undefined;
  onAccess: (access: Access) => Promise<void>;
  onAssign: (userUid: string) => Promise<unknown>;
  onUnassign: (userUid: string) => Promise<unknown>;
}

/** Who sees a dataset or project, with those who keep seeing it when only assigned members do. */
export function AccessChoice({ access, reason, assigned, onAccess, onAssign, onUnassign }: AccessChoiceProps) {
  return (
    <div className="flex flex-col gap-4">
      <RadioGroup
        aria-label="Who sees it"
        options={accessOptions}
        value={access}
        disabled={reason !== undefined}
        onValueChange={(next) => void onAccess(next)}
      />
      {reason === undefined && (
        <Assigned
          title={access === "assigned" ? "Assigned members" : "Assigned members, who would keep seeing it"}
          assigned={assigned}
          onAssign={onAssign}
          onUnassign={onUnassign}
        />
      )}
    </div>
  );
}

function Assigned(props: Pick<AccessChoiceProps, "assigned" | "onAssign" | "onUnassign"> & { title: string }) {
  const { title, assigned, onAssign, onUnassign } = props;
  const trpc = useTRPC();
  const [search, setSearch] = useState("");
  const found = useQuery({
    ...trpc.members.list.queryOptions({ limit: 50, ...(search && { search }) }),
    placeholderData: (before) => before,
  });
  const admins = useAdminNames();
  const taken = new Set(assigned?.map(({ user_uid: uid }) => uid));
  const free = (found.data?.results ?? []).filter((each) => !hasRole(each, "admin") && !taken.has(each.user_uid));
  const run = (work: Promise<unknown>, failure: string) =>
    void work.catch((error: unknown) => toast.failure(error, { title: failure }));
  return (
    <Field group label={title} hint={`Admins always see it: ${admins.join(", ")}.`}>
      {assigned === undefined ? (
        <SkeletonText lines={2} />
      ) : assigned.length === 0 ? (
        <p className="text-table text-muted">Nobody is assigned.</p>
      ) : (
        <ul aria-label="Assigned members" className="flex max-h-64 flex-col overflow-y-auto border-y text-table">
          {assigned.map(({ user_uid: uid, username, email }) => (
            <li key={uid} className="flex h-9 items-center gap-3 border-b last:border-b-0">
              <span className="min-w-0 flex-1 truncate">
                {username} <span className="text-subtle">{email}</span>
              </span>
              <IconButton
                label={`Unassign ${username}`}
                size="sm"
                icon={<X aria-hidden />}
                onClick={() => run(onUnassign(uid), `${username} is still assigned`)}
              />
            </li>
          ))}
        </ul>
      )}
      <Combobox
        // The choice is in the list; the box begins anew.
        key={assigned?.length}
        aria-label="Assign a member"
        options={free.map((each) => ({ value: each.user_uid, label: fullName(each), hint: each.email }))}
        value={null}
        onValueChange={(uid) => uid !== null && run(onAssign(uid), "The member was not assigned")}
        onSearch={setSearch}
        loading={found.isFetching}
        placeholder="Assign a member"
        emptyText="No other member with that name"
      />
    </Field>
  );
}
