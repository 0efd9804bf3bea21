"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Button } from "@/components/kit/button";
import { Dialog } from "@/components/kit/dialog";
import { AccessChoice } from "@/components/members/access-choice";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient, type Outputs } from "@/components/trpc/client";
import { longPageSize } from "@/domain/limits";

/** Who sees a project. */
export function ProjectAccess({
  project: { uid, name, access },
  onClose,
}: {
  project: Outputs["datasets"]["projects"]["results"][number];
  onClose: () => void;
}) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const reason = usePermissions().refusal({ role: "admin" });
  const assigned = useQuery({
    ...trpc.projects.members.list.queryOptions({ uid, limit: longPageSize.max }),
    enabled: reason === undefined,
  }).data?.results;
  const change = async (work: Promise<unknown>) => {
    await work;
    await queryClient.invalidateQueries(trpc.projects.pathFilter());
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Who sees ${name}`}
      description={reason}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <AccessChoice
        access={access}
        reason={reason}
        assigned={assigned}
        onAccess={async (next) => {
          try {
            await client.projects.update.mutate({ uid, change: { access: next } });
          } catch (error) {
            toast.failure(error, { title: `${name} was not changed` });
          }
          await queryClient.invalidateQueries(trpc.datasets.projects.pathFilter());
        }}
        onAssign={(user) => change(client.projects.members.add.mutate({ uid, user }))}
        onUnassign={(user) => change(client.projects.members.remove.mutate({ uid, user_uid: user }))}
      />
    </Dialog>
  );
}
