import { queryOptions } from "@tanstack/react-query";
import { proposeDeviceName } from "@/domain/recordings/device-name";
import { blobSource } from "@/engine/formats/byte-source";
import { readFileMetadata } from "@/engine/formats/mcap/file-metadata";
import type { RecordingGroup } from "./recording-groups";

/** Recordings of an upload that are asked for their device; the rest is taken to be of the same. */
const maxAsked = 20;

/** The metadata of a file; empty when it cannot be read, which the upload itself says. */
const readMetadata = (file: File) => readFileMetadata(blobSource(file)).catch(() => []);

async function proposeOne({ name, files: [first] }: RecordingGroup): Promise<string | null> {
  if (!first) return null;
  const folders = first.path.split("/").slice(0, -1);
  return proposeDeviceName({ name, folders, metadata: await readMetadata(first.file) });
}

/** The devices that recordings name, each once. */
export const proposeOwners = (groups: readonly RecordingGroup[]) =>
  queryOptions({
    queryKey: [
      "proposed-owners",
      groups
        .slice(0, maxAsked)
        .map(({ name, files: [first] }) => [name, first?.path, first?.file.size, first?.file.lastModified]),
    ],
    queryFn: async () => {
      const names = await Promise.all(groups.slice(0, maxAsked).map(proposeOne));
      return [...new Set(names.filter((name) => name !== null))];
    },
    staleTime: Infinity,
    // Reading a file needs no connection.
    networkMode: "always",
  });
