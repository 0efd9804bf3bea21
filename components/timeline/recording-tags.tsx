"use client";

import { useQueryClient } from "@tanstack/react-query";
import { EditableTags } from "@/components/product/editable-tags";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import type { RecordingDetail } from "./query";

export function RecordingTags({ recording, title }: { recording: RecordingDetail; title: string }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  return (
    <EditableTags
      name={title}
      tags={recording.tags}
      vocabulary={trpc.recordings.vocabulary.queryOptions()}
      write={async (tags) => {
        await client.recordings.update.mutate({ uid: recording.uid, change: { tags } });
        await queryClient.invalidateQueries(trpc.recordings.get.pathFilter());
      }}
    />
  );
}
