"use client";

import { FileUp } from "lucide-react";
import { usePathname, useRouter } from "next/navigation";
import { Suspense, useEffect, useState } from "react";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { leave } from "@/components/kit/leaving";
import { loadPart } from "@/components/kit/part-loading";
import { usePermissions } from "@/components/product/permissions";
import { recordingHref } from "@/components/product/recording-links";
import type { ChosenFile } from "./chosen-files";
import { findTarget, setHovered, useHovered, type DropTarget } from "./drop-target";

// Loaded when files are dropped.
const UploadDialog = lazyDialog(async () => (await import("./upload-dialog")).UploadDialog);

/** Reads drops; loaded while files are on their way to where they fall, because a drop must be read at once. */
let readFiles: ((event: Event) => Promise<ChosenFile[]>) | null = null;
const loadReader = async () =>
  (readFiles = await loadPart(async () => (await import("./chosen-files")).readChosenFiles));

/** The files of a drop that came before its reader: folders need it. */
const listFiles = ({ dataTransfer }: DragEvent): ChosenFile[] =>
  [...(dataTransfer?.files ?? [])].map((file) => ({ file, path: file.name }));

/** A dialog that takes no files is above everything that does. */
const isBlocked = (target: DropTarget): boolean =>
  target.text !== null &&
  document.querySelector("[role=dialog]:not([data-shortcuts=page]), [role=alertdialog]") !== null;

/** Follows what is dragged over the page and dropped there. Text, and what was dragged from the page itself, is left alone. */
function followDrags(lastResort: DropTarget): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  let isOwn = false;
  const carriesFiles = ({ dataTransfer }: DragEvent): boolean =>
    !isOwn && (dataTransfer?.types.includes("Files") ?? false);
  const over = (event: DragEvent) => {
    if (!carriesFiles(event)) return;
    // Without this the browser leaves the page for the file.
    event.preventDefault();
    const target = findTarget(lastResort);
    const blocked = isBlocked(target);
    if (event.dataTransfer) event.dataTransfer.dropEffect = blocked || target.refusal !== undefined ? "none" : "copy";
    setHovered(blocked ? null : target);
  };
  const drop = (event: DragEvent) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    setHovered(null);
    const target = findTarget(lastResort);
    if (isBlocked(target) || target.refusal !== undefined) return;
    void (readFiles?.(event) ?? Promise.resolve(listFiles(event))).then(
      (files) => files.length > 0 && target.onFiles(files),
    );
  };
  addEventListener("dragstart", () => (isOwn = true), { signal });
  addEventListener("dragend", () => (isOwn = false), { signal });
  addEventListener("dragenter", over, { signal });
  addEventListener("dragenter", (event) => carriesFiles(event) && void loadReader().catch(() => null), { signal });
  addEventListener("dragover", over, { signal });
  // Into no other element: out of the window.
  addEventListener("dragleave", ({ relatedTarget }) => relatedTarget === null && setHovered(null), { signal });
  addEventListener("drop", drop, { signal });
  return () => listening.abort();
}

/** Takes files dropped anywhere on a page, and says so while they are above it: as recordings where the page takes none. */
export function FileDrop() {
  const router = useRouter();
  const refusal = usePermissions().refusal();
  const [files, setFiles] = useState<readonly ChosenFile[] | null>(null);
  const onDevice = /^\/devices\/(dev_[^/]+)/.exec(usePathname())?.[1] ?? null;
  const hovered = useHovered();
  useEffect(() => followDrags({ text: "Drop to upload recordings", refusal, onFiles: setFiles }), [refusal]);
  return (
    <>
      {hovered !== null && hovered.text !== null && (
        <div
          aria-hidden
          className="pointer-events-none fixed inset-0 z-50 flex flex-col items-center justify-center gap-2 border-2 border-accent bg-scrim"
        >
          <p className="flex items-center gap-2 rounded-panel bg-raised px-4 py-3 text-body font-medium shadow-float">
            <FileUp aria-hidden className="size-5 text-subtle" strokeWidth={1.5} />
            {hovered.refusal ?? hovered.text}
          </p>
        </div>
      )}
      <Suspense>
        {files && (
          <UploadDialog
            deviceId={onDevice}
            files={files}
            onClose={() => setFiles(null)}
            onReadable={(uid) => {
              setFiles(null);
              leave(() => router.push(recordingHref(uid)));
            }}
          />
        )}
      </Suspense>
    </>
  );
}
