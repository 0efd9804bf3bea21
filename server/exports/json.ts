import type { Ctx } from "@/server/context";
import { itemsOf, projectsOf, resultsOf, type SelectedDataset, type Wanted } from "@/server/exports/selection";

/** Of the document's shape. */
const schemeVersion = "1.0";

export interface ExportInfo {
  name: string;
  created_at: string;
  format: string;
  filter_query_string: string;
}

/**
 * The JSON document of an export, in pieces: datasets with their items, projects with their labels, results. `tell` hears of
 * every thousand items.
 */
export async function* jsonDocument(
  ctx: Ctx,
  info: ExportInfo,
  wanted: Wanted,
  datasets: readonly SelectedDataset[],
  tell: (items: number) => Promise<void>,
): AsyncGenerator<string> {
  yield `{"scheme_version":${JSON.stringify(schemeVersion)},"export_info":${JSON.stringify(info)},"datasets":[`;
  for (const [at, dataset] of datasets.entries()) {
    yield `${at > 0 ? "," : ""}{"uid":${JSON.stringify(dataset.uid)},"name":${JSON.stringify(dataset.name)},"items":[`;
    let first = true;
    for await (const items of itemsOf(ctx, dataset)) {
      yield listed(items.map(({ uid, key, metadata }) => ({ uid, ref_id: key, metadata })), first);
      first = false;
    }
    yield "]}";
  }
  const projects = await projectsOf(ctx, wanted, datasets);
  yield `],"projects":${JSON.stringify(projects.map(({ uid, name, labels }) => ({ uid, name, labels })))},"results":[`;
  let first = true;
  for (const dataset of datasets) {
    for await (const items of itemsOf(ctx, dataset)) {
      const results = await resultsOf(ctx, items, wanted.projects);
      if (results.length > 0) {
        yield listed(results.map(({ uid, item_id, project_id, annotations }) => ({ uid, dataset_item_uid: item_id, project_uid: project_id, annotations })), first);
        first = false;
      }
      await tell(items.length);
    }
  }
  yield "]}";
}

const listed = (rows: readonly object[], first: boolean): string => (first ? "" : ",") + rows.map((row) => JSON.stringify(row)).join(",");
