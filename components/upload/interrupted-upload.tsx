"use client";

import { useRef, useState } from "react";
import { Button } from "@/components/kit/button";
import { formatBytes, plural } from "@/components/kit/format";
import { useTRPCClient } from "@/components/trpc/client";
import { readChosenFiles } from "./chosen-files";
import { resumeUpload } from "./upload-queue";
import type { Upload } from "./upload-store";

/** Offers to go on with an upload that a reload interrupted. */
export function InterruptedUpload({ upload }: { upload: Upload }) {
  const client = useTRPCClient();
  const picker = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const [wrong, setWrong] = useState(false);
  const { fileCount, totalBytes, open } = upload.progress;
  const isDataset = upload.place.kind === "dataset";
  const names = open.map(({ path }) => path);
  const what =
    isDataset && fileCount > 1
      ? `${upload.name}, with the same ${plural(fileCount, "file")},`
      : fileCount === 1
        ? (names[0] ?? upload.name)
        : `the same ${plural(fileCount, "file")}`;
  const take = (event: Event) =>
    void readChosenFiles(event).then((chosen) => setWrong(!resumeUpload(client, upload, chosen)));
  return (
    <>
      <p className="text-meta text-warning-text">
        Interrupted. Choose {what} again; what is there already is not sent twice.
      </p>
      {wrong && (
        <p role="alert" className="text-meta text-critical-text">
          {isDataset
            ? `These are not the files the upload started with: ${plural(fileCount, "file")}, ${formatBytes(totalBytes)}.`
            : `These are not the files the upload started with: ${names.slice(0, 3).join(", ")}${fileCount > 3 ? " …" : ""} (${formatBytes(totalBytes)}).`}
        </p>
      )}
      <div className="flex gap-2">
        {isDataset && (
          <Button size="sm" onClick={() => folder.current?.click()}>
            Choose the folder
          </Button>
        )}
        <Button size="sm" onClick={() => picker.current?.click()}>
          Choose files
        </Button>
        <input
          ref={picker}
          type="file"
          multiple={fileCount > 1}
          hidden
          aria-label={`Files of ${upload.name}`}
          onChange={({ nativeEvent, currentTarget }) => {
            take(nativeEvent);
            currentTarget.value = "";
          }}
        />
        {isDataset && (
          <input
            ref={folder}
            type="file"
            multiple
            hidden
            // React's types do not know it.
            {...{ webkitdirectory: "" }}
            aria-label={`Folder of ${upload.name}`}
            onChange={({ nativeEvent, currentTarget }) => {
              take(nativeEvent);
              currentTarget.value = "";
            }}
          />
        )}
      </div>
    </>
  );
}
