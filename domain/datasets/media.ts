/** What pages load of an item: the small picture, the file itself, and the picture that stands for a video. */
export const itemMediaKinds = ["thumb", "data", "poster"] as const;
export type ItemMediaKind = (typeof itemMediaKinds)[number];

/** Media types that pages draw themselves; every other file is saved instead of shown. */
export const drawnTypes = ["image/jpeg", "image/png", "image/webp", "video/mp4", "video/quicktime"] as const;

/** How many media of items one person loads concurrently. */
export const maxItemMedia = 8;
