"use client";

import { useQuery } from "@tanstack/react-query";
import { SecondFactorSetUp } from "@/components/account/second-factor-set-up";
import { signOut } from "@/components/account/sign-out";
import { Button } from "@/components/kit/button";
import { SkeletonText } from "@/components/kit/skeleton";
import { ErrorState } from "@/components/product/error-state";
import { openOrganization, startOverAt } from "@/components/shell/open-organization";
import { useTRPC } from "@/components/trpc/client";

/** What a member can do whose organization requires a second factor: set it up, or go elsewhere. */
export function RequiredSecondFactor({ organizationSlug, next }: { organizationSlug: string; next: string }) {
  const trpc = useTRPC();
  const state = useQuery(trpc.secondFactor.state.queryOptions());
  const organizations = useQuery(trpc.organizations.list.queryOptions({}));
  const others = (organizations.data?.results ?? []).filter(({ slug }) => slug !== organizationSlug);
  if (state.error) return <ErrorState error={state.error} onRetry={() => void state.refetch()} />;
  return (
    <>
      {state.data ? (
        <SecondFactorSetUp needsPassword={state.data.needs_password} onDone={() => startOverAt(next)} />
      ) : (
        <SkeletonText lines={4} />
      )}
      <div className="mt-8 flex flex-wrap gap-2 border-t pt-4">
        {others.map(({ slug, name }) => (
          <Button key={slug} size="sm" onClick={() => openOrganization(slug)}>
            Go to {name}
          </Button>
        ))}
        <Button size="sm" onClick={() => void signOut()}>
          Sign out
        </Button>
      </div>
    </>
  );
}
