/** The frame of the large picture of an alert: the same for all, so that nothing below moves from one camera to the next. */
export const frameShape = "aspect-4/3 max-h-96 w-full";

/** The room below the log for what could not be kept: two lines, as a note takes on a phone. */
export const notesShape = "min-h-8";

/** Milliseconds after an alert was found within which what its recording holds is expected. */
const expectedMs = 60_000;

/** Whether what the recording of an alert holds of its moment may still come; `now`: ms since 1970. */
export const isCaptureExpected = (alert: { created_at: string; recording_id: string | null }, now: number): boolean =>
  alert.recording_id !== null && now - Date.parse(alert.created_at) < expectedMs;
