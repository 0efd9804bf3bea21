"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Field } from "@/components/kit/field";
import { KeyValue } from "@/components/kit/key-value";
import { PageBody, Section } from "@/components/kit/page-header";
import { Select } from "@/components/kit/select";
import { InstantTime } from "@/components/kit/time";
import { AccessChoice } from "@/components/members/access-choice";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { UidChip } from "@/components/product/uid-chip";
import { useTRPC, useTRPCClient, type Inputs } from "@/components/trpc/client";
import { longPageSize } from "@/domain/limits";
import { dataTypeLabels } from "./labels";
import { datasetHref, datasetPath, type Dataset } from "./query";

type Change = Inputs["datasets"]["update"]["change"];

/** No uid of a bucket; a select shows no option of an empty value. */
const own = { value: "own", label: "Muster's own storage" };
/** Where a dataset's new files are stored and who sees it, beside what never changes. */
export function DatasetSettings({ dataset }: { dataset: Dataset }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const reason = usePermissions().refusal({ role: "admin" });
  const { data: buckets = [] } = useQuery(trpc.exports.buckets.queryOptions());
  const path = datasetPath(dataset);
  const assigned = useQuery({
    ...trpc.datasets.members.list.queryOptions({ ...path, limit: longPageSize.max }),
    enabled: reason === undefined,
  }).data?.results;
  const change = async (work: Promise<unknown>) => {
    await work;
    await queryClient.invalidateQueries(trpc.datasets.members.pathFilter());
  };
  const save = async (wanted: Change) => {
    try {
      await client.datasets.update.mutate({ ...path, change: wanted });
      toast.success(`${dataset.name} changed`);
    } catch (error) {
      toast.failure(error, { title: `${dataset.name} was not changed` });
    }
    await queryClient.invalidateQueries(trpc.datasets.pathFilter());
  };
  return (
    <PageBody narrow>
      <Section title="About" description={reason}>
        <KeyValue
          items={[
            [
              "Address",
              <span key="address" className="font-mono">
                {datasetHref(dataset)}
              </span>,
            ],
            ["Items", `${dataTypeLabels[dataset.data_type].label}, ${dataset.data_type} in the API`],
            ["Folders", dataset.is_sequence ? "Each folder of an upload is a sequence" : "Are part of an item's name"],
            ["Created", <InstantTime key="created" value={dataset.created_at} />],
            ["Uid", <UidChip key="uid" uid={dataset.uid} />],
          ]}
        />
      </Section>
      <Section title="New files">
        <Field label="Where they are stored" hint="Files that are there already stay where they are.">
          <Select
            options={[own, ...buckets.map(({ uid, name, bucket }) => ({ value: uid, label: name, hint: bucket }))]}
            value={dataset.storage_config_uid ?? own.value}
            disabled={reason !== undefined}
            onValueChange={(uid) => void save({ storage_config_uid: uid === own.value ? null : uid })}
          />
        </Field>
      </Section>
      <Section title="Who sees it">
        <AccessChoice
          access={dataset.access}
          reason={reason}
          assigned={assigned}
          onAccess={(access) => save({ access })}
          onAssign={(user) => change(client.datasets.members.add.mutate({ ...path, user }))}
          onUnassign={(user) => change(client.datasets.members.remove.mutate({ ...path, user_uid: user }))}
        />
      </Section>
    </PageBody>
  );
}
