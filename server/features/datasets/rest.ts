import {
  CreateDataset,
  DatasetFilters,
  DatasetOwner,
  DatasetPath,
  ItemPath,
  RecordingToDataset,
  SequenceFilters,
  UpdateDataset,
  UpdateItem,
  UpdateSequence,
} from "@/domain/datasets/schema";
import { ItemFilters } from "@/domain/items/schema";
import { RecordingUid } from "@/domain/recordings/schema";
import { absoluteItem, absoluteSequence } from "@/server/features/datasets/absolute-urls";
import { addRecordingToDataset } from "@/server/features/datasets/from-recording-service";
import { getItem, listItems } from "@/server/features/datasets/item-queries";
import { deleteItem, updateItem } from "@/server/features/datasets/item-service";
import { DatasetResource, ItemResource, RecordingAdded, SequenceResource } from "@/server/features/datasets/resource";
import { getSequence, listSequences, updateSequence } from "@/server/features/datasets/sequences-service";
import {
  createDataset,
  deleteDataset,
  getDataset,
  listDatasets,
  listOwnedDatasets,
  updateDataset,
} from "@/server/features/datasets/service";
import { findRecording } from "@/server/features/recordings/service";
import { requireRole } from "@/server/platform/context";
import { endpoint, type ExistsCheck } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

const exists: ExistsCheck<typeof DatasetPath> = (ctx, params) => getDataset(ctx, params);

export const list = endpoint({
  method: "GET",
  path: "/datasets/",
  id: "datasets.list",
  summary: "List datasets",
  description: "`ordering`: created_at or name; `-` before it descends (default `-created_at`).",
  permission: ["datasets.read"],
  role: "member",
  query: DatasetFilters,
  response: toPageSchema(DatasetResource),
  handler: ({ ctx, query }) => listDatasets(ctx, query),
});

export const create = endpoint({
  method: "POST",
  path: "/datasets/",
  id: "datasets.create",
  summary: "Create a dataset",
  permission: ["datasets.write"],
  role: "admin",
  body: CreateDataset,
  response: DatasetResource,
  status: 201,
  handler: ({ ctx, body }) => createDataset(ctx, body),
});

export const owned = endpoint({
  method: "GET",
  path: "/datasets/{owner}/list/",
  id: "datasets.list-of-owner",
  summary: "List the datasets of an owner",
  permission: ["datasets.read"],
  role: "member",
  params: DatasetOwner,
  query: DatasetFilters,
  response: toPageSchema(DatasetResource),
  handler: ({ ctx, params, query }) => listOwnedDatasets(ctx, params.owner, query),
});

export const get = endpoint({
  method: "GET",
  path: "/datasets/{owner}/{slug}/",
  id: "datasets.get",
  summary: "Get a dataset",
  permission: ["datasets.read"],
  role: "member",
  params: DatasetPath,
  response: DatasetResource,
  handler: ({ ctx, params }) => getDataset(ctx, params),
});

export const update = endpoint({
  method: "PATCH",
  path: "/datasets/{owner}/{slug}/",
  id: "datasets.update",
  summary: "Update a dataset",
  description: "The slug stays as it is.",
  permission: ["datasets.write"],
  role: "admin",
  params: DatasetPath,
  body: UpdateDataset,
  response: DatasetResource,
  exists,
  handler: ({ ctx, params, body }) => updateDataset(ctx, params, body),
});

export const remove = endpoint({
  method: "DELETE",
  path: "/datasets/{owner}/{slug}/",
  id: "datasets.delete",
  summary: "Delete a dataset with its items and files",
  description: "400 while projects that are not over annotate it.",
  permission: ["datasets.write"],
  role: "admin",
  params: DatasetPath,
  status: 204,
  handler: ({ ctx, params }) => deleteDataset(ctx, params),
});

export const items = endpoint({
  method: "GET",
  path: "/datasets/{owner}/{slug}/items/",
  id: "items.list",
  summary: "List the items of a dataset",
  description: "`ordering`: created_at or key; `-` before it descends (default `-created_at`).",
  permission: ["datasets.read"],
  role: "member",
  params: DatasetPath,
  query: ItemFilters,
  response: toPageSchema(ItemResource),
  handler: async ({ ctx, params, query, publicUrl }) => {
    const page = await listItems(ctx, params, query);
    return { ...page, results: page.results.map((item) => absoluteItem(item, publicUrl)) };
  },
});

export const item = endpoint({
  method: "GET",
  path: "/datasets/{owner}/{slug}/items/{uid}/",
  id: "items.get",
  summary: "Get an item",
  permission: ["datasets.read"],
  role: "member",
  params: ItemPath,
  response: ItemResource,
  handler: async ({ ctx, params, publicUrl }) => absoluteItem(await getItem(ctx, params, params.uid), publicUrl),
});

export const changeItem = endpoint({
  method: "PATCH",
  path: "/datasets/{owner}/{slug}/items/{uid}/",
  id: "items.update",
  summary: "Update an item's metadata",
  description:
    "`metadata` merges into what is there, one level deep; null removes a key. What was read from the file stays.",
  permission: ["datasets.write"],
  role: "member",
  params: ItemPath,
  body: UpdateItem,
  response: ItemResource,
  exists: (ctx, params) => getItem(ctx, params, params.uid),
  handler: async ({ ctx, params, body, publicUrl }) =>
    absoluteItem(await updateItem(ctx, params, params.uid, body), publicUrl),
});

export const removeItem = endpoint({
  method: "DELETE",
  path: "/datasets/{owner}/{slug}/items/{uid}/",
  id: "items.delete",
  summary: "Delete an item with its file and results",
  description: "Members delete what they added. 400 while a task of it is open, or its file is being read.",
  permission: ["datasets.write"],
  role: "member",
  params: ItemPath,
  status: 204,
  handler: ({ ctx, params }) => deleteItem(ctx, params, params.uid),
});

export const sequences = endpoint({
  method: "GET",
  path: "/datasets/{owner}/{slug}/sequences/",
  id: "sequences.list",
  summary: "List the sequences of a dataset",
  description: "`ordering`: created_at or key; `-` before it descends (default `-created_at`).",
  permission: ["datasets.read"],
  role: "member",
  params: DatasetPath,
  query: SequenceFilters,
  response: toPageSchema(SequenceResource),
  handler: async ({ ctx, params, query, publicUrl }) => {
    const page = await listSequences(ctx, params, query);
    return { ...page, results: page.results.map((sequence) => absoluteSequence(sequence, publicUrl)) };
  },
});

export const sequence = endpoint({
  method: "GET",
  path: "/datasets/{owner}/{slug}/sequences/{uid}/",
  id: "sequences.get",
  summary: "Get a sequence",
  permission: ["datasets.read"],
  role: "member",
  params: ItemPath,
  response: SequenceResource,
  handler: async ({ ctx, params, publicUrl }) =>
    absoluteSequence(await getSequence(ctx, params, params.uid), publicUrl),
});

export const changeSequence = endpoint({
  method: "PATCH",
  path: "/datasets/{owner}/{slug}/sequences/{uid}/",
  id: "sequences.update",
  summary: "Update a sequence's status",
  permission: ["datasets.write"],
  role: "admin",
  params: ItemPath,
  body: UpdateSequence,
  response: SequenceResource,
  exists: (ctx, params) => getSequence(ctx, params, params.uid),
  handler: async ({ ctx, params, body, publicUrl }) =>
    absoluteSequence(await updateSequence(ctx, params, params.uid, body), publicUrl),
});

export const fromRecording = endpoint({
  method: "POST",
  path: "/fleet/recordings/{uid}/to-dataset/",
  id: "recordings.to-dataset",
  summary: "Add a recording's files to a dataset",
  description: "To the dataset named or, for admins, to a new one. Files it has already are left alone.",
  permission: ["datasets.write"],
  scopesToo: ["fleet.read"],
  role: "member",
  params: RecordingUid,
  body: RecordingToDataset,
  response: RecordingAdded,
  status: 201,
  exists: async (ctx, params, sent) => {
    await findRecording(ctx, params.uid);
    if (!sent.has("dataset")) requireRole(ctx, "admin");
  },
  handler: ({ ctx, params, body }) => addRecordingToDataset(ctx, params.uid, body),
});
