"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { Checkbox } from "@/components/kit/checkbox";
import { Dialog } from "@/components/kit/dialog";
import { Input } from "@/components/kit/input";
import { SkeletonText } from "@/components/kit/skeleton";
import { ErrorState } from "@/components/product/error-state";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import { healthLimits } from "@/domain/health/limits";

type Columns = Outputs["health"]["columns"];

/** Metrics that are shown at once; others are found by their name. */
const shown = 100;

/** Which metrics the list of devices has as columns, for everybody in the organization. */
export function MetricColumnsDialog({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.health.columns.queryOptions());
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Metrics as columns"
      description="Everybody in the organization sees them in the list of devices."
    >
      {query.data ? (
        <Chooser columns={query.data} onClose={onClose} />
      ) : query.error ? (
        <ErrorState error={query.error} title="The columns could not be loaded" onRetry={() => void query.refetch()} />
      ) : (
        <SkeletonText lines={6} />
      )}
    </Dialog>
  );
}

function Chooser({ columns, onClose }: { columns: Columns; onClose: () => void }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const refused = usePermissions().refusal({ role: "admin" });
  const [chosen, setChosen] = useState(() => columns.columns.map(({ name }) => name));
  const [search, setSearch] = useState("");
  const query = useQuery(trpc.health.metrics.queryOptions({ search, limit: shown }));
  const save = useMutation(
    trpc.organizations.update.mutationOptions({
      onSuccess: async () => {
        await Promise.all([
          queryClient.invalidateQueries(trpc.health.columns.queryFilter()),
          queryClient.invalidateQueries(trpc.fleet.devices.pathFilter()),
          queryClient.invalidateQueries(trpc.organizations.pathFilter()),
        ]);
        toast.success("Saved the columns of devices");
        onClose();
      },
      onError: (error) => toast.failure(error, { title: "The columns were not saved" }),
    }),
  );
  const full = chosen.length >= healthLimits.columns;
  const found = (query.data?.results ?? []).toSorted((a, b) => a.rank - b.rank || (a.name < b.name ? -1 : 1));
  // Those chosen stay in sight, whatever is searched for.
  const rest = found.filter(({ name }) => !chosen.includes(name));
  const labels = new Map([...columns.columns, ...found].map(({ name, label }) => [name, label]));
  const line = (name: string, checked: boolean) => (
    <Checkbox
      key={name}
      label={
        <span className="flex min-w-0 flex-wrap items-baseline gap-x-2">
          {labels.get(name) ?? name}
          <span className="font-mono text-meta text-subtle">{name}</span>
        </span>
      }
      checked={checked}
      disabled={!checked && full}
      onCheckedChange={(next) =>
        setChosen((before) => (next ? [...before, name] : before.filter((each) => each !== name)))
      }
    />
  );
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate({ settings: { device_metrics: chosen } });
      }}
    >
      <Input
        type="search"
        aria-label="Search for a metric"
        placeholder="Search by name"
        value={search}
        onValueChange={setSearch}
        autoComplete="off"
      />
      <div role="group" aria-label="Metrics" className="flex max-h-80 min-h-24 flex-col gap-2 overflow-y-auto">
        {chosen.map((name) => line(name, true))}
        {rest.map(({ name }) => line(name, false))}
        {query.data && chosen.length + rest.length === 0 && (
          <p className="text-table text-subtle">
            {search === "" ? "No device has sent a metric yet." : "No such metric."}
          </p>
        )}
      </div>
      <p role="status" className="text-meta text-subtle">
        {chosen.length} of at most {healthLimits.columns}, in the order in which they are chosen.
      </p>
      <div className="flex flex-wrap justify-end gap-2 border-t pt-4">
        {columns.chosen !== null && (
          <Button
            className="mr-auto"
            disabledReason={refused}
            busy={save.isPending}
            onClick={() => save.mutate({ settings: { device_metrics: null } })}
          >
            Back to the first metric
          </Button>
        )}
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" disabledReason={refused} busy={save.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}
