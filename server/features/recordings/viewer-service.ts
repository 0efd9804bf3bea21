import { listReadFiles } from "@/server/features/recordings/file-service";
import { findRecording } from "@/server/features/recordings/service";
import type { Ctx } from "@/server/platform/context";
import { env } from "@/server/platform/env";
import { objectStore } from "@/server/platform/storage/current";
import { displayName } from "@/server/platform/storage/file-name";

/** How long a viewer may read a file. */
const viewerLinkSeconds = 12 * 3_600;

/** Another program that opens a recording in the browser. */
export interface Viewer {
  name: string;
  /** Null with a reason. */
  href: string | null;
  /** Why it cannot open the recording. */
  reason: string | null;
}

/** Viewers by the address that opens a file from its link. */
function listViewers(): { name: string; address: string }[] {
  const viewers = [{ name: "Foxglove", address: "https://app.foxglove.dev/~/view" }];
  const { LICHTBLICK_URL: lichtblick } = env;
  return lichtblick === undefined ? viewers : [...viewers, { name: "Lichtblick", address: lichtblick }];
}

/** The viewers that can open a recording, with links to its file that are valid for `ttlSeconds`. Throws `not_found`. */
export async function readViewers(ctx: Ctx, recordingId: string, ttlSeconds = viewerLinkSeconds): Promise<Viewer[]> {
  await findRecording(ctx, recordingId);
  const files = await listReadFiles(ctx, recordingId);
  const [file] = files;
  const link =
    file && files.length === 1
      ? await objectStore().downloadUrl({
          key: file.storageKey,
          fileName: displayName(file.path),
          by: ctx.actor,
          ttlSeconds,
        })
      : null;
  return listViewers().map(({ name, address }) => {
    const refuse = (reason: string): Viewer => ({ name, href: null, reason });
    if (!file) return refuse("The recording has no file.");
    if (files.length > 1) return refuse(`It has ${files.length} files; ${name} opens one.`);
    if (link === null) return refuse("Its bucket is no longer connected.");
    const source = new URL(link, env.PUBLIC_URL);
    if (address.startsWith("https:") && source.protocol !== "https:")
      return refuse("Needs an https address in PUBLIC_URL.");
    const opened = new URL(address);
    opened.searchParams.set("ds", "remote-file");
    opened.searchParams.set("ds.url", source.href);
    return { name, href: opened.href, reason: null };
  });
}
