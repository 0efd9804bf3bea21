"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { PageBody, Section } from "@/components/kit/page-header";
import { SkeletonText } from "@/components/kit/skeleton";
import { Switch } from "@/components/kit/switch";
import { ErrorState } from "@/components/product/error-state";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC } from "@/components/trpc/client";

/** What the organization requires of how its members sign in. */
export function SecuritySettings() {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { refusal } = usePermissions();
  const [confirming, setConfirming] = useState(false);
  const organization = useQuery(trpc.organizations.current.queryOptions());
  const own = useQuery(trpc.secondFactor.state.queryOptions());
  const update = useMutation(
    trpc.organizations.update.mutationOptions({
      onSuccess: ({ settings }) => {
        toast.success(settings.require_second_factor ? "A second factor is required" : "A second factor is optional");
        void queryClient.invalidateQueries(trpc.organizations.current.queryFilter());
      },
    }),
  );
  const error = organization.error ?? own.error;
  if (error)
    return <ErrorState error={error} onRetry={() => void Promise.all([organization.refetch(), own.refetch()])} />;
  if (!organization.data || !own.data)
    return (
      <PageBody narrow>
        <SkeletonText lines={3} />
      </PageBody>
    );
  const required = organization.data.settings.require_second_factor === true;
  const lacksOwn = !required && own.data.enabled_at === null;
  const set = (value: boolean) => update.mutateAsync({ settings: { require_second_factor: value } });
  return (
    <PageBody narrow>
      <Section title="Signing in">
        <Switch
          label="Require a second factor of all members"
          hint="Members without one can do nothing here but set it up. API keys go on working."
          checked={required}
          onCheckedChange={(next) => (next ? setConfirming(true) : void set(false).catch(toast.failure))}
          disabledReason={
            refusal({ role: "admin" }) ?? (lacksOwn ? "Set up your own first, in your profile." : undefined)
          }
        />
      </Section>
      <ConfirmDialog
        open={confirming}
        onOpenChange={setConfirming}
        title="Require a second factor"
        description="Members who have none are led to set one up at the next page they open. Until then they see nothing of the organization."
        action="Require it"
        onConfirm={async () => void (await set(true))}
      />
    </PageBody>
  );
}
