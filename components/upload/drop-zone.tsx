"use client";

import { FileUp } from "lucide-react";
import { useRef, useState, type DragEvent } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";

/** Takes files by drop or by a file dialog. */
export function DropZone({ onFiles }: { onFiles: (files: File[]) => void }) {
  const [over, setOver] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    onFiles([...event.dataTransfer.files]);
  };
  return (
    <div
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
      className={cn(
        "flex flex-col items-center gap-2 rounded-panel border border-dashed border-border-strong px-4 py-6 text-center text-table text-muted transition-colors",
        over && "border-accent bg-selected",
      )}
    >
      <FileUp aria-hidden className="size-5 text-subtle" strokeWidth={1.5} />
      <p>Drop MCAP files or ROS 1 bags here</p>
      <Button size="sm" onClick={() => picker.current?.click()}>
        Choose files
      </Button>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        accept=".mcap,.bag,.active"
        aria-label="Files to upload"
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          currentTarget.value = "";
        }}
      />
    </div>
  );
}
