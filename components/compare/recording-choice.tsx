"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useDemoFilter } from "@/components/demo-fleet/demo-choice";
import { Combobox } from "@/components/kit/combobox";
import { recordingTitle } from "@/components/recordings/query";
import { useTRPC } from "@/components/trpc/client";

const maxOffered = 20;

interface RecordingChoiceProps {
  label: string;
  /** The recording that it is compared with, which is not offered. */
  other: string | null;
  onChoose: (uid: string) => void;
}

/** Chooses a recording by its name, its device or its uid; the newest are offered first. */
export function RecordingChoice({ label, other, onChoose }: RecordingChoiceProps) {
  const trpc = useTRPC();
  const shown = useDemoFilter();
  const [text, setText] = useState("");
  const query = useQuery({
    ...trpc.recordings.overview.queryOptions({
      ...shown,
      ordering: "-started_at",
      status: "ready,archived",
      limit: maxOffered + 1,
      ...(text.trim() !== "" && { search: text.trim() }),
    }),
    placeholderData: keepPreviousData,
  });
  const options = (query.data?.results ?? [])
    .filter(({ uid }) => uid !== other)
    .slice(0, maxOffered)
    .map((recording) => ({
      value: recording.uid,
      label: recordingTitle(recording),
      hint: `${recording.device_name} · ${recording.started_at.slice(0, 16).replace("T", " ")} UTC`,
    }));
  return (
    <Combobox
      aria-label={label}
      placeholder="Name, device or uid of a recording"
      className="w-auto flex-1 basis-60"
      options={options}
      value={null}
      onSearch={setText}
      loading={query.isFetching}
      emptyText="No recording matches"
      onValueChange={(uid) => uid !== null && onChoose(uid)}
    />
  );
}
