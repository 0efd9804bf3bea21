/** Figures that the server keeps to and screens count on; lengths are in code points. */

/** Rows of a page of a fleet list: when no number is asked for, and at most. */
export const fleetPageSize = { default: 50, max: 200 } as const;
/** The same of the other lists. */
export const longPageSize = { default: 100, max: 1_000 } as const;

export const maxNameLength = 255;
/** Of a description, a note or a comment. */
export const maxTextLength = 4_096;
/** Of why a silence or a maintenance was begun. */
export const maxReasonLength = 1_000;

/** Of an address that is sent to or shown. */
export const maxUrlLength = 2_048;

/** Things that one request may name. */
export const maxNamed = 1_000;

/** Counting for a cell of a list stops here; it then says "100+". */
export const cellCeiling = 100;
/** Of each kind at most so many are drawn on a device's timeline, the newest. */
export const maxDrawn = 500;
