import { preload } from "react-dom";
import { isCameraSchema } from "@/engine/messages/pictures/picture-schemas";
import { deservesScene } from "@/engine/messages/scene-schemas";
import workers from "@/public/engine/workers.json";

/** Whether a recording's page probably shows what only its thread can read, so that it is opened before a panel asks. */
export const opensEarly = ({ topics }: { topics: readonly { schema: string }[] }): boolean =>
  topics.some(({ schema }) => isCameraSchema(schema) || deservesScene(schema));

/** Has the browser ask for the pack of a recording while it still loads the scripts that will ask for the same. */
export function preloadPack(uid: string): void {
  const input = encodeURIComponent(JSON.stringify({ uid }));
  preload(`/api/trpc/recordings.openPack?input=${input}`, { as: "fetch", crossOrigin: "anonymous" });
}

declare global {
  interface Window {
    earlyRecordingThread?: Worker;
  }
}

/**
 * A script in the page of a recording that begins its thread before the page's own scripts are there. One that could not be
 * loaded is begun anew by who takes it.
 */
export const threadScript = `(window.earlyRecordingThread = new Worker("${workers.recording}", { name: "recording", type: "module" })).onerror = () => { window.earlyRecordingThread = undefined }`;

/** The thread that `threadScript` began, for the first who asks; a new one for others. */
export function takeThread(): Worker {
  const early = window.earlyRecordingThread;
  window.earlyRecordingThread = undefined;
  return early ?? new Worker(workers.recording, { name: "recording", type: "module" });
}
