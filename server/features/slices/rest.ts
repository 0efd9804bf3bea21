import {
  CreateSlice,
  SliceFilters,
  SliceItemFilters,
  SliceOwner,
  SlicePath,
  SlicedDataset,
  UpdateSlice,
  ValidateSliceName,
} from "@/domain/slices/schema";
import { absoluteItem } from "@/server/features/datasets/absolute-urls";
import { SliceItem } from "@/server/features/datasets/resource";
import { NameCheck, SliceResource } from "@/server/features/slices/resource";
import {
  checkSliceName,
  createSlice,
  deleteSlice,
  getSlice,
  listDatasetSlices,
  listSliceItems,
  listSlices,
  requireSliceAuthor,
  updateSlice,
} from "@/server/features/slices/service";
import { endpoint } from "@/server/transport/rest/endpoint";
import { toCountedPageSchema } from "@/server/transport/rest/page";

export const list = endpoint({
  method: "GET",
  path: "/slices/{owner}/list/",
  id: "slices.list",
  summary: "List the slices of an owner",
  description: "`ordering`: created_at or name; `-` before it descends (default `-created_at`).",
  permission: ["datasets.read"],
  role: "member",
  params: SliceOwner,
  query: SliceFilters,
  response: toCountedPageSchema(SliceResource),
  handler: ({ ctx, params, query }) => listSlices(ctx, params.owner, query),
});

export const ofDataset = endpoint({
  method: "GET",
  path: "/slices/dataset/{uid}/",
  id: "slices.list-of-dataset",
  summary: "List the slices of a dataset",
  permission: ["datasets.read"],
  role: "member",
  params: SlicedDataset,
  query: SliceFilters,
  response: toCountedPageSchema(SliceResource),
  handler: ({ ctx, params, query }) => listDatasetSlices(ctx, params.uid, query),
});

export const create = endpoint({
  method: "POST",
  path: "/slices/",
  id: "slices.create",
  summary: "Create a slice of a dataset",
  description: "Without a filter it holds the whole dataset. The items are counted in the background.",
  permission: ["full"],
  role: "member",
  body: CreateSlice,
  response: SliceResource,
  status: 201,
  handler: ({ ctx, body }) => createSlice(ctx, body),
});

export const validateName = endpoint({
  method: "POST",
  path: "/slice/validate/name/",
  documentedPath: "/slice/validate/name",
  id: "slices.validate-name",
  summary: "Validate a slice name",
  permission: ["full"],
  role: "member",
  changes: "nothing",
  body: ValidateSliceName,
  response: NameCheck,
  handler: ({ ctx, body }) => checkSliceName(ctx, body.name),
});

export const get = endpoint({
  method: "GET",
  path: "/slices/{owner}/{slug}/",
  id: "slices.get",
  summary: "Get a slice",
  permission: ["datasets.read"],
  role: "member",
  params: SlicePath,
  response: SliceResource,
  handler: ({ ctx, params }) => getSlice(ctx, params),
});

export const update = endpoint({
  method: "PATCH",
  path: "/slices/{owner}/{slug}/",
  id: "slices.update",
  summary: "Update a slice",
  description: "The slug stays as it is. The items of another filter are counted in the background.",
  permission: ["full"],
  role: "member",
  params: SlicePath,
  body: UpdateSlice,
  response: SliceResource,
  exists: (ctx, params) => requireSliceAuthor(ctx, params),
  handler: ({ ctx, params, body }) => updateSlice(ctx, params, body),
});

export const remove = endpoint({
  method: "DELETE",
  path: "/slices/{owner}/{slug}/",
  id: "slices.delete",
  summary: "Delete a slice",
  description: "Its items stay in their dataset. 400 while exports of it are not finished.",
  permission: ["full"],
  role: "member",
  params: SlicePath,
  status: 204,
  handler: ({ ctx, params }) => deleteSlice(ctx, params),
});

export const items = endpoint({
  method: "GET",
  path: "/slices/{owner}/{slug}/items/list/",
  id: "slices.items",
  summary: "List the items of a slice",
  permission: ["datasets.read"],
  role: "member",
  params: SlicePath,
  query: SliceItemFilters,
  response: toCountedPageSchema(SliceItem),
  handler: async ({ ctx, params, query, publicUrl }) => {
    const page = await listSliceItems(ctx, params, query);
    return { ...page, results: page.results.map((item) => absoluteItem(item, publicUrl)) };
  },
});
