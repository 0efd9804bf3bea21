export const recordingStatuses = ["uploading", "processing", "ready", "error", "archived"] as const;
export type RecordingStatus = (typeof recordingStatuses)[number];
