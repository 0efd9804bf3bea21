"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { useSingleFile } from "@/components/upload/use-single-file";
import type { FormatChoice } from "./query";

/** Sends a file for an import into a project and has it looked at. */
export function useSendFile(project: string, onSent: (uid: string) => void) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const { send, ...sending } = useSingleFile();
  const start = (file: File, format: FormatChoice) =>
    void send(
      {
        file,
        purpose: project,
        begin: () => client.imports.create.mutate({ uid: project, file_name: file.name, size_bytes: file.size }),
        deletedText: "The import was given up. Start it again.",
        finish: async (uid) => {
          await client.imports.check.mutate({ uid, ...(format !== "guess" && { format }) });
          await queryClient.invalidateQueries(trpc.imports.pathFilter());
          return uid;
        },
      },
      onSent,
    );
  return { send: start, ...sending };
}
