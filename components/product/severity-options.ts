import { severitiesWorstFirst, severityLabels } from "@/domain/severity";

export const severityOptions = severitiesWorstFirst.map((value) => ({ value, label: severityLabels[value] }));

/** With the least of them, as the address of a list takes it. */
export const severityFilterOptions: { value: string; label: string }[] = [
  ...severityOptions,
  ...(["error", "warning"] as const).map((least) => ({
    value: `>=${least}`,
    label: `${severityLabels[least]} or worse`,
  })),
];
