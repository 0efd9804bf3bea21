"use client";

import { useQuery } from "@tanstack/react-query";
import { Checklist } from "@/components/first-run/checklist";
import { DemoBanner } from "@/components/first-run/demo-banner";
import { Welcome } from "@/components/first-run/welcome";
import { Badge } from "@/components/kit/badge";
import { ButtonLink } from "@/components/kit/button";
import { CopyLink } from "@/components/kit/copy-link";
import { PageBody, PageHeader } from "@/components/kit/page-header";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC } from "@/components/trpc/client";
import { AlertActivity } from "./alert-activity";
import { Attention } from "./attention";
import { FleetMap } from "./fleet-map";
import { FleetStrip, useFleet } from "./fleet-strip";
import { Needs } from "./needs";
import { TileRow } from "./tile-row";
import { TrainingData } from "./training-data";

/** The fleet at a glance: device states, open alerts, what needs attention. */
export function OverviewPage() {
  const trpc = useTRPC();
  const demo = useQuery({
    ...trpc.demo.status.queryOptions(),
    refetchInterval: ({ state: { data } }) => (data?.state === "making" ? 1_500 : false),
  });
  const fleet = useFleet();
  const nothing = fleet.data?.blocks.length === 0 && demo.data?.state === "none";

  if (nothing) {
    return (
      <>
        <PageHeader title="Welcome to Muster" />
        <PageBody>
          <Welcome />
        </PageBody>
      </>
    );
  }
  return (
    <>
      <PageHeader
        title="Overview"
        status={fleet.data?.demo_only && <Badge>Demo</Badge>}
        actions={
          <>
            <CopyLink compact />
            <ButtonLink href="/alerts" variant="primary">
              Open the inbox
            </ButtonLink>
          </>
        }
      />
      <PageBody className="gap-10">
        {/* Above what grows while the demo is made, so that its buttons stay where they are. */}
        <DemoBanner status={demo.data} />
        <TileRow />
        <Needs />
        <Checklist />
        {fleet.error && !fleet.data ? (
          <ErrorState error={fleet.error} title="The fleet could not be loaded" onRetry={() => void fleet.refetch()} />
        ) : (
          <FleetStrip />
        )}
        <AlertActivity />
        <Attention />
        <TrainingData />
        <FleetMap />
      </PageBody>
    </>
  );
}
