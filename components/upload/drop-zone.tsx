"use client";

import { FileUp } from "lucide-react";
import { useRef, type RefObject } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { readChosenFiles, type ChosenFile } from "./chosen-files";
import { useDropTarget } from "./drop-target";

export interface DropZoneProps {
  /** "Drop MCAP files here". */
  text: string;
  /** The name of its file dialog: "Files to upload". */
  label: string;
  /** Extensions that the file dialog offers. */
  accept: string;
  onFiles: (files: ChosenFile[]) => void;
}

/** Takes files and folders, by a drop anywhere on the page or by a file dialog. */
export function DropZone({ text, label, accept, onFiles }: DropZoneProps) {
  const over = useDropTarget({ text: null, onFiles });
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const take = (event: Event) => void readChosenFiles(event).then(onFiles);
  const picker = (ref: RefObject<HTMLInputElement | null>, name: string, asFolder: boolean) => (
    <input
      ref={ref}
      type="file"
      multiple
      hidden
      accept={asFolder ? undefined : accept}
      // React's types do not know it.
      {...(asFolder && { webkitdirectory: "" })}
      aria-label={name}
      onChange={({ nativeEvent, currentTarget }) => {
        take(nativeEvent);
        // The same files may be chosen again.
        currentTarget.value = "";
      }}
    />
  );
  return (
    <div
      className={cn(
        "flex flex-col items-center gap-2 rounded-panel border border-dashed border-border-strong px-4 py-6 text-center text-table text-muted transition-colors",
        over && "border-accent bg-selected",
      )}
    >
      <FileUp aria-hidden className="size-5 text-subtle" strokeWidth={1.5} />
      <p>{text}</p>
      <div className="flex flex-wrap justify-center gap-2">
        <Button size="sm" onClick={() => files.current?.click()}>
          Choose files
        </Button>
        <Button size="sm" onClick={() => folder.current?.click()}>
          Choose a folder
        </Button>
      </div>
      {picker(files, label, false)}
      {picker(folder, "Folder", true)}
    </div>
  );
}
