"use client";

import { useMutation } from "@tanstack/react-query";
import { useMailState } from "@/components/account/mail-state";
import { Button } from "@/components/kit/button";
import { CopyButton } from "@/components/kit/copy-button";
import { EmptyState } from "@/components/kit/empty-state";
import { RelativeTime } from "@/components/kit/time";
import { DataTable, type DataTableColumn } from "@/components/list/data-table";
import { nextPage } from "@/components/list/list-input";
import { TableNote } from "@/components/list/table-note";
import { useListQuery } from "@/components/list/use-list-query";
import { toast } from "@/components/product/toast";
import { useTRPC, type Outputs } from "@/components/trpc/client";

type Invitation = Outputs["invitations"]["list"]["results"][number];

const columns: readonly DataTableColumn<Invitation>[] = [
  {
    id: "email",
    header: "E-mail",
    minWidth: 200,
    cell: (invitation) => invitation.email,
    required: true,
    narrow: "title",
  },
  {
    id: "role",
    header: "Role",
    width: 100,
    cell: ({ role, read_only }) => (role === "admin" ? "Admin" : read_only ? "Viewer" : "Member"),
    narrow: "meta",
  },
  { id: "by", header: "Invited by", width: 140, cell: (invitation) => invitation.invited_by_username ?? "–" },
  {
    id: "sent",
    header: "Invited",
    width: 110,
    cell: (invitation) => <RelativeTime value={invitation.created_at} rich={false} />,
  },
  {
    id: "expires",
    header: "Expires",
    width: 110,
    cell: (invitation) => <RelativeTime value={invitation.expires_at} rich={false} />,
    narrow: "trailing",
  },
  {
    id: "link",
    header: "Link",
    width: 120,
    cell: (invitation) =>
      invitation.copy_link && (
        <CopyButton text={invitation.copy_link} label="Copy link" name={`Copy link for ${invitation.email}`} />
      ),
  },
];

/** Pending invitations. */
export function InvitationList({ manages, onInvite }: { manages: boolean; onInvite: () => void }) {
  const trpc = useTRPC();
  const invitations = useListQuery(
    trpc.invitations.list.infiniteQueryOptions({ status: "pending" }, { ...nextPage, enabled: manages }),
  );
  const sends = useMailState(manages) === "sent";
  const resent = ({ email }: Invitation) =>
    sends ? `Sent to ${email}` : `No mail was sent to ${email}. Pass the link on; it is good for seven more days.`;
  const refetch = () => void invitations.query.refetch();
  const onError = (error: unknown) => toast.failure(error);
  const resend = useMutation(trpc.invitations.resend.mutationOptions({ onSuccess: refetch, onError }));
  const cancel = useMutation(trpc.invitations.cancel.mutationOptions({ onSuccess: refetch, onError }));
  if (!manages) return <EmptyState kind="no-access" noun="invitations" missing="the admin role" />;
  return (
    <DataTable
      id="invitations"
      label="Pending invitations"
      noun={["invitation", "invitations"]}
      columns={columns}
      {...invitations.table}
      toolbar={<TableNote>Invitations that nobody has accepted yet.</TableNote>}
      rowKey={(invitation) => invitation.uid}
      rowLabel={(invitation) => invitation.email}
      rowMenu={(invitation) => [
        {
          label: sends ? "Send again" : "Renew for seven days",
          onSelect: () =>
            resend.mutate({ uid: invitation.uid }, { onSuccess: () => toast.success(resent(invitation)) }),
        },
        { label: "Cancel", danger: true, onSelect: () => cancel.mutate({ uid: invitation.uid }) },
      ]}
      empty={
        <EmptyState
          kind="nothing-yet"
          title="No pending invitations"
          description="People you invite appear here until they join. An invitation is good for seven days."
          action={
            <Button variant="primary" onClick={onInvite}>
              Invite people
            </Button>
          }
        />
      }
    />
  );
}
