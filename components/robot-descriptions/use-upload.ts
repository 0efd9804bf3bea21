"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { useSingleFile } from "@/components/upload/use-single-file";
import type { RobotDescription } from "./query";

/** Sends the zip of a device type and has it checked. */
export function useUpload(onDone: (description: RobotDescription) => void) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const { send, ...sending } = useSingleFile();
  const upload = (deviceType: string, file: File) =>
    void send(
      {
        file,
        begin: () => client.robotDescriptions.create.mutate({ device_type: deviceType, size_bytes: file.size }),
        deletedText: "The upload was given up. Start it again.",
        finish: async (uid) => {
          const made = await client.robotDescriptions.finalize.mutate({ uid });
          await queryClient.invalidateQueries(trpc.robotDescriptions.pathFilter());
          return made;
        },
      },
      onDone,
    );
  return { upload, ...sending };
}
