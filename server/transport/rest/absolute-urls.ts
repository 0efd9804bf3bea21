import type { ItemResource, SequenceResource } from "@/server/features/datasets/resource";
import type { ExportResource } from "@/server/features/exports/resource";
import type { SignedUrls } from "@/server/features/uploads/resource";

/** Where to PUT files, with the paths on our own server as absolute URLs. */
export const absoluteUrls = ({ urls }: SignedUrls, publicUrl: string): SignedUrls => ({
  urls: urls.map((entry) => ({ ...entry, put_url: new URL(entry.put_url, publicUrl).href })),
});

const absolute = (path: string, publicUrl: string): string => (path === "" ? "" : new URL(path, publicUrl).href);

export const absoluteItem = <Item extends ItemResource>(item: Item, publicUrl: string): Item => ({
  ...item,
  data_url: absolute(item.data_url, publicUrl),
  thumbnail_url: absolute(item.thumbnail_url, publicUrl),
});

export const absoluteSequence = (sequence: SequenceResource, publicUrl: string): SequenceResource => ({
  ...sequence,
  featured_image: absolute(sequence.featured_image, publicUrl),
  views: sequence.views.map((view) => ({ ...view, load: absolute(view.load, publicUrl) })),
});

export const absoluteExport = (each: ExportResource, publicUrl: string): ExportResource => ({
  ...each,
  download_url: each.download_url === null ? null : absolute(each.download_url, publicUrl),
});
