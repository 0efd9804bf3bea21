"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { UserPlus } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import type { MenuItem } from "@/components/kit/menu";
import { None } from "@/components/kit/none";
import { PageHeader } from "@/components/kit/page-header";
import { Tabs, useTab } from "@/components/kit/tabs";
import { RelativeTime } from "@/components/kit/time";
import { DataTable, type DataTableColumn } from "@/components/list/data-table";
import { nextPage } from "@/components/list/list-input";
import { TableNote } from "@/components/list/table-note";
import { useListQuery } from "@/components/list/use-list-query";
import { fullName, type Member } from "@/components/organizations/member-names";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { startOverAt } from "@/components/shell/open-organization";
import { useTRPC } from "@/components/trpc/client";
import { InvitationList } from "./invitation-list";
import { InviteDialog } from "./invite-dialog";
import { RoleMatrix } from "./role-matrix";
import { SecuritySettings } from "./security-settings";

const roleLabels = { owner: "Owner", admin: "Admin", member: "Member", viewer: "Viewer" } as const;

/** What a person may do here, as it is chosen: who can only view is a viewer. */
const toStanding = ({ role, read_only: readOnly }: Member): keyof typeof roleLabels => (readOnly ? "viewer" : role);

const standings = [
  { standing: "admin", phrase: "an admin", input: { role: "admin", read_only: false } },
  { standing: "member", phrase: "a member", input: { role: "member", read_only: false } },
  { standing: "viewer", phrase: "a viewer", input: { role: "member", read_only: true } },
] as const;

const columns: readonly DataTableColumn<Member>[] = [
  { id: "name", header: "Name", cell: fullName, required: true, narrow: "title" },
  { id: "username", header: "Username", cell: (member) => member.username },
  { id: "email", header: "E-mail", minWidth: 200, cell: (member) => member.email, narrow: "meta" },
  {
    id: "role",
    header: "Role",
    width: 140,
    cell: (member) => roleLabels[toStanding(member)],
    narrow: "trailing",
  },
  {
    id: "second-factor",
    header: "Second factor",
    width: 120,
    cell: (member) => (member.second_factor === null ? <None /> : member.second_factor ? "On" : "Off"),
  },
  {
    id: "joined",
    header: "Joined",
    width: 110,
    cell: (member) => <RelativeTime value={member.joined_at} rich={false} />,
  },
  {
    id: "active",
    header: "Last active",
    width: 110,
    cell: (member) => <RelativeTime value={member.last_active_at} rich={false} />,
  },
];

type Pending = { kind: "remove" | "leave" | "transfer"; member: Member };

/** The organization's members and pending invitations. */
export function MemberList({ userUid }: { userUid: string }) {
  const trpc = useTRPC();
  const [tab, setTab] = useTab(["members", "invitations", "roles", "security"]);
  const organization = useQuery(trpc.organizations.current.queryOptions());
  const members = useListQuery(trpc.members.list.infiniteQueryOptions({}, nextPage));
  const [inviting, setInviting] = useState(false);
  const [pending, setPending] = useState<Pending | null>(null);
  const refetch = () => void members.query.refetch();
  const onError = (error: unknown) => toast.failure(error);
  const changeRole = useMutation(trpc.members.changeRole.mutationOptions({ onSuccess: refetch, onError }));
  const remove = useMutation(trpc.members.remove.mutationOptions({ onSuccess: refetch, onError }));
  const leave = useMutation(trpc.organizations.leave.mutationOptions({ onSuccess: () => startOverAt("/"), onError }));
  const transfer = useMutation(
    trpc.organizations.transferOwnership.mutationOptions({ onSuccess: () => location.reload(), onError }),
  );
  const role = organization.data?.role ?? "member";
  const manages = role !== "member";
  const { refusal } = usePermissions();

  const buildMenu = (member: Member): MenuItem[] => {
    if (member.user_uid === userUid) {
      return role === "owner"
        ? []
        : [
            {
              label: "Leave organization",
              danger: true,
              disabledReason: refusal(),
              onSelect: () => setPending({ kind: "leave", member }),
            },
          ];
    }
    if (member.role === "owner") return [];
    const disabledReason = refusal({ role: "admin" });
    return [
      ...standings.map(({ standing, phrase, input }): MenuItem => ({
        label: roleLabels[standing],
        checked: standing === toStanding(member),
        disabledReason,
        onSelect: () =>
          standing !== toStanding(member) &&
          changeRole.mutate(
            { uid: member.uid, ...input },
            { onSuccess: () => toast.success(`${fullName(member)} is now ${phrase}`) },
          ),
      })),
      "separator",
      ...(role === "owner"
        ? [{ label: "Transfer ownership", onSelect: () => setPending({ kind: "transfer", member }) }]
        : []),
      "separator",
      { label: "Remove", danger: true, disabledReason, onSelect: () => setPending({ kind: "remove", member }) },
    ];
  };

  const texts =
    pending &&
    {
      remove: {
        title: `Remove ${fullName(pending.member)}`,
        description: "They lose access immediately, and their API keys stop working.",
        action: "Remove member",
      },
      leave: {
        title: `Leave ${organization.data?.name ?? "the organization"}`,
        description: "You lose access immediately, and your API keys here stop working.",
        action: "Leave organization",
      },
      transfer: {
        title: `Make ${fullName(pending.member)} the owner`,
        description: "You become an admin. Only the new owner can give ownership back.",
        action: "Transfer ownership",
      },
    }[pending.kind];
  const confirm = async ({ kind, member }: Pending) => {
    if (kind === "remove") await remove.mutateAsync({ uid: member.uid });
    else if (kind === "leave") await leave.mutateAsync();
    else await transfer.mutateAsync({ uid: member.uid });
  };

  return (
    <>
      <PageHeader
        title="Members"
        meta={organization.data?.name}
        actions={
          <Button
            variant="primary"
            icon={<UserPlus aria-hidden />}
            onClick={() => setInviting(true)}
            disabledReason={refusal({ role: "admin" })}
          >
            Invite
          </Button>
        }
      />
      <Tabs
        label="Members, invitations and roles"
        layout="page"
        className="flex-1"
        value={tab}
        onValueChange={setTab}
        tabs={[
          {
            value: "members",
            label: "Members",
            content: (
              <DataTable
                id="members"
                label="Members"
                noun={["member", "members"]}
                columns={manages ? columns : columns.filter(({ id }) => id !== "second-factor")}
                {...members.table}
                rowKey={(member) => member.uid}
                rowLabel={fullName}
                rowMenu={buildMenu}
                toolbar={<TableNote>Who can sign in to this organization, and as what.</TableNote>}
              />
            ),
          },
          {
            value: "invitations",
            label: "Pending",
            content: <InvitationList manages={manages} onInvite={() => setInviting(true)} />,
          },
          { value: "roles", label: "Roles", content: <RoleMatrix /> },
          { value: "security", label: "Security", content: <SecuritySettings /> },
        ]}
      />
      <InviteDialog open={inviting} onOpenChange={setInviting} />
      {pending && texts && (
        <ConfirmDialog
          open
          onOpenChange={(open) => !open && setPending(null)}
          danger={pending.kind !== "transfer"}
          onConfirm={() => confirm(pending)}
          {...(pending.kind === "transfer" && { typeToConfirm: pending.member.username })}
          {...texts}
        />
      )}
    </>
  );
}
