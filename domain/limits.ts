/** Limits shared by server and screens; lengths are in code points. */

/** Page size of fleet lists. */
export const fleetPageSize = { default: 50, max: 200 } as const;
/** Page size of the other lists. */
export const longPageSize = { default: 100, max: 1_000 } as const;

export const maxNameLength = 255;
/** Length of a description, a note or a comment. */
export const maxTextLength = 4_096;
/** Length of what a rule says to whoever has one of its alerts. */
export const maxRunbookLength = 20_000;
/** Length of the reason of a silence or a maintenance. */
export const maxReasonLength = 1_000;

/** Length of a URL. */
export const maxUrlLength = 2_048;

/** Objects that one request may name. */
export const maxNamed = 1_000;

/** Counts in list cells stop here and show "100+". */
export const cellCeiling = 100;
/** How many of each kind a device's timeline shows, the newest first. */
export const maxDrawn = 500;
