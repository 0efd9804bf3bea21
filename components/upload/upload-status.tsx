"use client";

import { CloudUpload } from "lucide-react";
import { Suspense } from "react";
import { Button } from "@/components/kit/button";
import { plural } from "@/components/kit/format";
import { lazyPart } from "@/components/kit/lazy-part";
import { Popover } from "@/components/kit/popover";
import { useUploads, type Upload } from "./upload-store";

// Loaded when it is opened: most pages upload nothing.
const UploadRow = lazyPart(async () => (await import("./upload-row")).UploadRow);

/** What the button says of all uploads together, and in few characters. */
function describe(uploads: readonly Upload[]): { long: string; short: string } {
  const asking = uploads.filter(({ state }) => state === "asking").length;
  if (asking > 0) return { long: "An upload has a question", short: "?" };
  const failed = uploads.filter(({ state }) => state === "failed").length;
  if (failed > 0) return { long: `${plural(failed, "upload")} failed`, short: "!" };
  const open = uploads.filter(({ state }) => state === "waiting" || state === "sending");
  if (open.length > 0) {
    const total = open.reduce((sum, { progress }) => sum + progress.totalBytes, 0);
    const sent = open.reduce((sum, { progress }) => sum + progress.sentBytes, 0);
    const percent = total === 0 ? 0 : Math.floor((sent / total) * 100);
    return { long: `Uploading, ${percent} %`, short: `${percent} %` };
  }
  const interrupted = uploads.filter(({ state }) => state === "interrupted").length;
  if (interrupted > 0) return { long: `${plural(interrupted, "upload")} interrupted`, short: String(interrupted) };
  return { long: plural(uploads.length, "upload"), short: String(uploads.length) };
}

/** The uploads of this tab in the top bar, on every page; nothing without any. */
export function UploadStatus() {
  const uploads = useUploads();
  if (uploads.length === 0) return null;
  const { long, short } = describe(uploads);
  return (
    <Popover
      title="Uploads"
      showTitle
      className="max-h-[70dvh] w-96 overflow-y-auto"
      trigger={
        <Button variant="ghost" size="sm" icon={<CloudUpload aria-hidden />} aria-label={long}>
          <span className="tabular-nums max-lg:hidden">{long}</span>
          <span className="tabular-nums lg:hidden">{short}</span>
        </Button>
      }
    >
      <ul aria-label="Uploads">
        <Suspense>
          {uploads.map((upload) => (
            <UploadRow key={upload.key} upload={upload} />
          ))}
        </Suspense>
      </ul>
    </Popover>
  );
}
