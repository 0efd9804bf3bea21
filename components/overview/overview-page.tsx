"use client";

import { useQuery } from "@tanstack/react-query";
import { Checklist } from "@/components/first-run/checklist";
import { DemoBanner } from "@/components/first-run/demo-banner";
import { Welcome } from "@/components/first-run/welcome";
import { ButtonLink } from "@/components/kit/button";
import { CopyLink } from "@/components/kit/copy-link";
import { PageBody, PageHeader } from "@/components/kit/page-header";
import { useTRPC } from "@/components/trpc/client";
import { AlertActivity } from "./alert-activity";
import { Attention } from "./attention";
import { FleetList, useFleet } from "./fleet-list";
import { FleetMap } from "./fleet-map";
import { TileRow } from "./tile-row";
import { TrainingData } from "./training-data";

/** The fleet at a glance: its figures, and each robot that needs somebody; on a desktop without scrolling. */
export function OverviewPage() {
  const trpc = useTRPC();
  const demo = useQuery({
    ...trpc.demo.status.queryOptions(),
    refetchInterval: ({ state: { data } }) => (data?.state === "making" ? 1_500 : false),
  });
  const fleet = useFleet();
  const nothing = fleet.data?.size === 0 && demo.data?.state === "none";

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
        actions={
          <>
            <CopyLink compact />
            <ButtonLink href="/alerts" variant={demo.data?.state === "making" ? "secondary" : "primary"}>
              Open the inbox
            </ButtonLink>
          </>
        }
      />
      <PageBody className="gap-6">
        {/* Above what grows while the demo is made, so that its buttons stay where they are. */}
        <DemoBanner status={demo.data} />
        <TileRow />
        <div className="mb-4 grid gap-x-10 gap-y-8 xl:grid-cols-[minmax(0,1fr)_20rem]">
          <FleetList />
          <div className="flex min-w-0 flex-col gap-6">
            <FleetMap />
            <Attention />
          </div>
        </div>
        <Checklist />
        <AlertActivity />
        <TrainingData />
      </PageBody>
    </>
  );
}
