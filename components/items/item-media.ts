import type { ItemMediaKind } from "@/domain/datasets/media";

/** The address of an item's thumbnail, file or poster. It stays the same, so that browsers cache what it holds. */
export const itemMediaHref = (uid: string, kind: ItemMediaKind): string => `/media/items/${uid}/${kind}`;
