import { DatasetPath } from "@/domain/datasets/schema";
import {
  AddMoment,
  AddMoments,
  maxMomentFrames,
  DatasetMomentFilters,
  MomentPath,
  MomentRange,
  MomentSelection,
  undoHours,
} from "@/domain/moments/schema";
import { getDataset } from "@/server/features/datasets/service";
import { addMoment, previewMoment } from "@/server/features/moments/add-service";
import { getMoment, listMoments } from "@/server/features/moments/list-queries";
import { addMoments, previewMoments } from "@/server/features/moments/many-service";
import { MomentAdded, MomentPreview, MomentResource, MomentsPreview } from "@/server/features/moments/resource";
import { undoMoment } from "@/server/features/moments/undo-service";
import { endpoint, type ExistsCheck } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

const exists: ExistsCheck<typeof DatasetPath> = (ctx, params) => getDataset(ctx, params);

export const list = endpoint({
  method: "GET",
  path: "/datasets/{owner}/{slug}/moments/",
  id: "moments.list",
  summary: "List what was added to a dataset from recordings",
  description: "Newest first.",
  permission: ["datasets.read"],
  role: "member",
  params: DatasetPath,
  query: DatasetMomentFilters,
  response: toPageSchema(MomentResource),
  exists,
  handler: async ({ ctx, params, query }) => {
    const { uid: dataset } = await getDataset(ctx, params);
    return listMoments(ctx, { dataset, ...query });
  },
});

export const preview = endpoint({
  method: "POST",
  path: "/datasets/{owner}/{slug}/moments/preview/",
  id: "moments.preview",
  summary: "Preview adding a range of a recording",
  description: "How many frames each topic has at this rate, and how many items the dataset has already.",
  permission: ["datasets.read"],
  scopesToo: ["fleet.read"],
  role: "member",
  changes: "nothing",
  params: DatasetPath,
  body: MomentRange,
  response: MomentPreview,
  exists,
  handler: async ({ ctx, params, body }) => previewMoment(ctx, (await getDataset(ctx, params)).uid, body),
});

export const add = endpoint({
  method: "POST",
  path: "/datasets/{owner}/{slug}/moments/",
  id: "moments.add",
  summary: "Add a range of a recording to a dataset",
  description: `Its frames become items in the background, at most ${maxMomentFrames}. 200 when the dataset has all of them already.`,
  permission: ["datasets.write"],
  scopesToo: ["fleet.read"],
  role: "member",
  params: DatasetPath,
  body: AddMoment,
  response: MomentAdded,
  status: 202,
  alternatives: [200],
  exists,
  handler: async ({ ctx, params, body, setStatus }) => {
    const { uid } = await getDataset(ctx, params);
    const added = await addMoment(ctx, uid, body);
    if (added.moment_uid === null) setStatus(200);
    return added;
  },
});

export const previewMany = endpoint({
  method: "POST",
  path: "/datasets/{owner}/{slug}/moments/many/preview/",
  id: "moments.preview-many",
  summary: "Preview adding many moments",
  permission: ["datasets.read"],
  scopesToo: ["fleet.read"],
  role: "member",
  changes: "nothing",
  params: DatasetPath,
  body: MomentSelection,
  response: MomentsPreview,
  exists,
  handler: async ({ ctx, params, body }) => previewMoments(ctx, (await getDataset(ctx, params)).uid, body),
});

export const addMany = endpoint({
  method: "POST",
  path: "/datasets/{owner}/{slug}/moments/many/",
  id: "moments.add-many",
  summary: "Add many moments to a dataset",
  description:
    "Of exactly one kind: `alerts`, `events`, `recordings`, or the hits of `rule_id`. One addition with one progress.",
  permission: ["datasets.write"],
  scopesToo: ["fleet.read"],
  role: "member",
  params: DatasetPath,
  body: AddMoments,
  response: MomentAdded,
  status: 202,
  exists,
  handler: async ({ ctx, params, body }) => addMoments(ctx, (await getDataset(ctx, params)).uid, body),
});

export const get = endpoint({
  method: "GET",
  path: "/datasets/{owner}/{slug}/moments/{uid}/",
  id: "moments.get",
  summary: "Get how far an addition is",
  permission: ["datasets.read"],
  role: "member",
  params: MomentPath,
  response: MomentResource,
  handler: ({ ctx, params }) => getMoment(ctx, params, params.uid),
});

export const undo = endpoint({
  method: "POST",
  path: "/datasets/{owner}/{slug}/moments/{uid}/undo/",
  id: "moments.undo",
  summary: "Undo an addition",
  description: `Deletes its items, for ${undoHours} hours and while none is labelled. Members undo what they added.`,
  permission: ["datasets.write"],
  role: "member",
  params: MomentPath,
  response: MomentResource,
  handler: async ({ ctx, params }) => {
    const { uid } = await getMoment(ctx, params, params.uid);
    return undoMoment(ctx, uid);
  },
});
