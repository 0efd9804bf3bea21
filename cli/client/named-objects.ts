import { CommandError, listRows, type ApiClient } from "@/cli/client/api-client";
import type { LocalFile } from "@/cli/client/put-file";
import { maxFilterLength } from "@/domain/items/filter";
import { filterValue } from "@/domain/items/filter-tokens";
import { isUuid } from "@/domain/uid";
import type { DatasetResource, ItemResource } from "@/server/features/datasets/resource";
import type { ProjectResource } from "@/server/features/projects/resource";
import type { SliceResource } from "@/server/features/slices/resource";

/** The largest page of the lists of datasets, items and exports. */
const maxPage = "1000";

interface Named {
  uid: string;
  name: string;
  /** Its address, below that of its owner. */
  slug?: string;
  owner_name?: string;
}

/**
 * The one with this uid, else the one with this name, else the one with this address (`slug` or `owner/slug`); null if there
 * is none. Throws a CommandError for a name that several have.
 */
async function pick<T extends Named>(rows: AsyncIterable<T>, kind: string, wanted: string): Promise<T | null> {
  const named: T[] = [];
  let addressed: T | null = null;
  for await (const row of rows) {
    const { uid, name, slug, owner_name: owner } = row;
    if (uid === wanted) return row;
    if (name === wanted) named.push(row);
    else if (slug !== undefined && (slug === wanted || `${owner}/${slug}` === wanted)) addressed = row;
  }
  if (named.length > 1) {
    const uids = named.map(({ uid }) => uid).join(", ");
    throw new CommandError(`${named.length} ${kind}s are named ${wanted}. Give the uid of one: ${uids}.`);
  }
  return named[0] ?? addressed;
}

/** The address of a dataset below `/api/v1`. */
export const datasetAt = ({ owner_name: owner, slug }: DatasetResource): string =>
  `/datasets/${encodeURIComponent(owner)}/${encodeURIComponent(slug)}`;

/** Datasets, newest first. */
export const listDatasets = (api: ApiClient, search?: string): AsyncGenerator<DatasetResource> =>
  listRows(api, "/datasets/", { limit: maxPage, ...(search !== undefined && { search }) }, "Listing the datasets");

/** The dataset with this uid, name or address; null if there is none. Throws a CommandError for a name of several. */
export const findDataset = (api: ApiClient, wanted: string): Promise<DatasetResource | null> =>
  pick(listDatasets(api), "dataset", wanted);

/** Slices or projects, which are those of whoever owns the datasets that they are made of. */
async function* listOwned(api: ApiClient, kind: "slice" | "project"): AsyncGenerator<SliceResource | ProjectResource> {
  for await (const { owner_name: name } of listDatasets(api)) {
    const owner = encodeURIComponent(name);
    const path = kind === "slice" ? `/slices/${owner}/list/` : `/projects/${owner}/`;
    yield* listRows<SliceResource | ProjectResource>(api, path, { limit: maxPage }, `Listing the ${kind}s`);
    return;
  }
}

type Kind = "dataset" | "slice" | "project";

/** The uid of an object by uid, name or address; null if there is none. Throws a CommandError for a name of several. */
export async function findUid(api: ApiClient, kind: Kind, wanted: string): Promise<string | null> {
  const rows: AsyncIterable<Named> = kind === "dataset" ? listDatasets(api) : listOwned(api, kind);
  return (await pick(rows, kind, wanted))?.uid ?? null;
}

/** The uids of objects by uid, name or address. Throws a CommandError for a name that none or several have. */
export async function findUids(api: ApiClient, kind: Kind, wanted: readonly string[]): Promise<string[]> {
  const uids: string[] = [];
  for (const each of wanted) {
    const uid = isUuid(each) ? each : await findUid(api, kind, each);
    if (uid === null) throw new CommandError(`There is no ${kind} ${JSON.stringify(each)} that this key may see.`);
    uids.push(uid);
  }
  return uids;
}

/** Filters by key that together name these, each short enough for a request. */
function* keyFilters(keys: readonly string[]): Generator<string> {
  let values: string[] = [];
  let length = 0;
  for (const value of keys.map((key) => filterValue(key, true))) {
    if (length + value.length + 20 > maxFilterLength) {
      yield `key IN (${values.join(", ")})`;
      [values, length] = [[], 0];
    }
    values.push(value);
    length += value.length + 2;
  }
  if (values.length > 0) yield `key IN (${values.join(", ")})`;
}

/** The sizes of those files that a dataset has items of, by their names. */
export async function findItemSizes(
  api: ApiClient,
  at: string,
  files: readonly LocalFile[],
): Promise<Map<string, number>> {
  const wanted = new Set(files.map((file) => file.path));
  const found = new Map<string, number>();
  for (const filter of keyFilters([...wanted])) {
    const query = { limit: maxPage, filter_query_string: filter };
    // A key with a * finds others, too.
    for await (const item of listRows<ItemResource>(api, `${at}/items/`, query, "Looking for files that are there"))
      if (wanted.has(item.key)) found.set(item.key, Number(item.size_bytes));
  }
  return found;
}
