"use client";

import { useQuery } from "@tanstack/react-query";
import { Ellipsis } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { CopyLink } from "@/components/kit/copy-link";
import { plural } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { Bytes } from "@/components/kit/measure";
import { Menu } from "@/components/kit/menu";
import { PageHeader, usePageTitle } from "@/components/kit/page-header";
import { Tabs, useTab } from "@/components/kit/tabs";
import { isUnavailable, PageFailure } from "@/components/product/page-failure";
import { useTRPC } from "@/components/trpc/client";
import type { DatasetPath } from "@/domain/datasets/schema";
import { DatasetPlace } from "./dataset-columns";
import { DatasetState } from "./dataset-state";
import { datasetTabs } from "./dataset-tabs";
import { ItemBar } from "./item-bar";
import { dataTypeLabels } from "./labels";
import { UploadToDataset } from "./upload-to-dataset";
import { useDatasetActions } from "./use-dataset-actions";

const datasetList = { label: "Datasets", href: "/datasets" };

type TabName = (typeof datasetTabs)[number]["value"];
const [first, ...others] = datasetTabs.map(({ value }) => value) as [TabName, ...TabName[]];

/** Everything about one dataset, in tabs. */
export function DatasetPage(path: DatasetPath) {
  const trpc = useTRPC();
  const router = useRouter();
  const [tab, setTab] = useTab<TabName>([first, ...others]);
  const [deleted, setDeleted] = useState(false);
  const query = useQuery({ ...trpc.datasets.overviewOf.queryOptions(path), enabled: !deleted });
  const actions = useDatasetActions(() => {
    setDeleted(true);
    router.push("/datasets");
  });
  const dataset = query.data;
  usePageTitle(dataset?.name);
  if (isUnavailable(query)) {
    return (
      <PageFailure
        title={dataset?.name}
        noun="dataset"
        deletedMessage="This dataset was deleted, and its items with it."
        list={datasetList}
        query={query}
      />
    );
  }
  if (!dataset) return null;
  return (
    <>
      <PageHeader
        title={dataset.name}
        trail={[datasetList]}
        status={<DatasetState of={dataset} />}
        meta={
          <>
            <span>{dataTypeLabels[dataset.data_type].label}</span>
            <span title={plural(dataset.item_count, "item")}>
              <ItemBar of={dataset} />
            </span>
            <Bytes value={Number(dataset.size_bytes)} />
            <DatasetPlace of={dataset} />
          </>
        }
        actions={
          <>
            <UploadToDataset dataset={dataset} />
            <CopyLink compact />
            <Menu
              items={actions.menu(dataset)}
              trigger={
                <IconButton label={`Actions for ${dataset.name}`} variant="secondary" icon={<Ellipsis aria-hidden />} />
              }
            />
          </>
        }
      />
      <Tabs
        label="About this dataset"
        layout="page"
        className="flex-1"
        value={tab}
        onValueChange={(next) => void setTab(next)}
        tabs={datasetTabs.map(({ value, label, content }) => ({ value, label, content: content(dataset) }))}
      />
      {actions.dialogs}
    </>
  );
}
