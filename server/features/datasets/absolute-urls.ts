import type { ItemResource, SequenceResource } from "@/server/features/datasets/resource";
import { absoluteUrl } from "@/server/transport/rest/absolute-url";

export const absoluteItem = <Item extends ItemResource>(item: Item, publicUrl: string): Item => ({
  ...item,
  data_url: absoluteUrl(item.data_url, publicUrl),
  thumbnail_url: absoluteUrl(item.thumbnail_url, publicUrl),
});

export const absoluteSequence = (sequence: SequenceResource, publicUrl: string): SequenceResource => ({
  ...sequence,
  featured_image: absoluteUrl(sequence.featured_image, publicUrl),
  views: sequence.views.map((view) => ({ ...view, load: absoluteUrl(view.load, publicUrl) })),
});
