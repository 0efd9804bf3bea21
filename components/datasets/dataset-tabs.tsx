import type { ReactNode } from "react";
import { DatasetSlices } from "@/components/slices/dataset-slices";
import { DatasetSettings } from "./dataset-settings";
import { HealthTab } from "./health-tab";
import { ItemsTab } from "./items-tab";
import { ModelsTab } from "./models-tab";
import { ProjectsTab } from "./projects-tab";
import type { Dataset } from "./query";
import { SequencesTab } from "./sequences-tab";
import { UploadsTab } from "./uploads-tab";

interface DatasetTab {
  /** In the address: `?tab=settings`. */
  value: string;
  label: string;
  content: (dataset: Dataset) => ReactNode;
}

/** The tabs of a dataset's page, the first of them open at its address. Add a line with each new one. */
export const datasetTabs = [
  { value: "items", label: "Items", content: (dataset) => <ItemsTab dataset={dataset} /> },
  { value: "sequences", label: "Sequences", content: (dataset) => <SequencesTab dataset={dataset} /> },
  { value: "slices", label: "Slices", content: (dataset) => <DatasetSlices dataset={dataset.uid} /> },
  { value: "projects", label: "Projects", content: (dataset) => <ProjectsTab dataset={dataset} /> },
  { value: "models", label: "Models", content: (dataset) => <ModelsTab dataset={dataset} /> },
  { value: "health", label: "Health", content: (dataset) => <HealthTab dataset={dataset} /> },
  { value: "uploads", label: "Uploads", content: (dataset) => <UploadsTab dataset={dataset} /> },
  { value: "settings", label: "Settings", content: (dataset) => <DatasetSettings dataset={dataset} /> },
] as const satisfies readonly DatasetTab[];
