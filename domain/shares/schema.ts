import { z } from "zod";
import { choice, list, nonBlank, pageFields, text, uid } from "@/domain/fields";
import { RecordingRange, RecordingUid } from "@/domain/recordings/schema";

/** Days for which a recording is shared. */
const shareDays = ["1", "7", "30"] as const;
export type ShareDays = (typeof shareDays)[number];
/** Links of a recording that are valid at the same time. */
export const maxShares = 100;
export const maxNoteLength = 500;
/** Fields that are plotted on the page of a link. */
export const maxSharedPlots = 4;

export const SharedField = z.object({ topic: nonBlank(), field: nonBlank() });

/** A link to a range of a recording, for people without an account. */
export const CreateShare = RecordingUid.extend({
  ...RecordingRange.required().shape,
  note: text(maxNoteLength).default(""),
  days: choice(shareDays).default("7"),
  plots: list(SharedField, maxSharedPlots).default([]),
});
export type CreateShare = z.output<typeof CreateShare>;

export const ShareFilters = RecordingUid.extend(pageFields());
export type ShareFilters = z.output<typeof ShareFilters>;

export const ShareUid = z.object({ uid: uid() });
