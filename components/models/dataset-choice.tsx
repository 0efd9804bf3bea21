"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Combobox } from "@/components/kit/combobox";
import { useTRPC } from "@/components/trpc/client";

interface DatasetChoiceProps {
  value: string | null;
  onValueChange: (uid: string | null) => void;
}

/** Chooses one of the datasets that the person sees, by typing a part of its name. */
export function DatasetChoice({ value, onValueChange }: DatasetChoiceProps) {
  const trpc = useTRPC();
  const [search, setSearch] = useState("");
  const wanted = search.trim();
  const query = useQuery(trpc.datasets.overview.queryOptions({ ...(wanted !== "" && { search: wanted }), limit: 50 }));
  const options = (query.data?.results ?? []).map(({ uid, name }) => ({ value: uid, label: name }));
  return (
    <Combobox
      options={options}
      loading={query.isPending}
      value={value}
      onValueChange={onValueChange}
      onSearch={setSearch}
      placeholder="Choose a dataset"
      emptyText="No dataset"
    />
  );
}
