"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Database, Plus } from "lucide-react";
import { cn } from "@/components/kit/cn";
import { Field } from "@/components/kit/field";
import { plural } from "@/components/kit/format";
import { Input } from "@/components/kit/input";
import { usePermissions } from "@/components/product/permissions";
import { useTRPC } from "@/components/trpc/client";
import type { MomentTarget } from "./source";

const maxShown = 5;

/** An existing dataset, or the name of a new one. */
type Choice = { target: MomentTarget } | { name: string } | null;

/** The dataset that a search means: the one picked, else the first that fits, else a new one. */
export function useDatasetChoice(search: string, picked: MomentTarget | "new" | null) {
  const trpc = useTRPC();
  const mayCreate = usePermissions().refusal({ role: "admin" });
  const query = useQuery({
    ...trpc.moments.targets.queryOptions({ search: search.trim() }),
    placeholderData: keepPreviousData,
  });
  const name = search.trim();
  const matches = (query.data ?? []).filter((target) => target.name.toLowerCase().includes(name.toLowerCase()));
  const offersNew = name !== "" && !matches.some((target) => target.name.toLowerCase() === name.toLowerCase());
  const shown = matches.slice(0, maxShown);
  const known = picked === "new" ? null : shown.find((target) => target.uid === picked?.uid);
  const isNew =
    offersNew && mayCreate === undefined && (picked === "new" || matches.length === 0) && !query.isPlaceholderData;
  const first = known ?? shown[0];
  const choice: Choice = isNew ? { name } : first ? { target: first } : null;
  return { choice, shown, offersNew, refusal: mayCreate, isPending: query.isPending };
}

type Offer = ReturnType<typeof useDatasetChoice>;

/** A search with the datasets that fit below it; the chosen one is where Enter adds. */
export function DatasetChoice(props: {
  search: string;
  setSearch: (search: string) => void;
  pick: (picked: MomentTarget | "new") => void;
  offer: Offer;
}) {
  const { search, setSearch, pick, offer } = props;
  const { choice, shown, offersNew, refusal } = offer;
  const chosen = choice !== null && "target" in choice ? choice.target.uid : choice === null ? null : "new";
  const line = "flex min-h-8 w-full items-center gap-2 rounded-control px-2 text-left text-table hover:bg-hover";
  return (
    <div>
      <Field label="Dataset">
        <Input value={search} onValueChange={setSearch} placeholder="Search, or name a new one" autoComplete="off" />
      </Field>
      <div
        role={shown.length > 0 || offersNew ? "radiogroup" : undefined}
        aria-label={shown.length > 0 || offersNew ? "Datasets" : undefined}
        className="mt-1 min-h-8"
      >
        {shown.map((target) => (
          <button
            key={target.uid}
            type="button"
            role="radio"
            aria-checked={chosen === target.uid}
            className={cn(line, chosen === target.uid && "bg-hover font-medium")}
            onClick={() => pick(target)}
          >
            <Database aria-hidden className="size-4 shrink-0 text-subtle" />
            <span className="min-w-0 flex-1 truncate">{target.name}</span>
            <span className="shrink-0 text-meta font-normal text-subtle">{plural(target.item_count, "item")}</span>
          </button>
        ))}
        {offersNew && (
          <button
            type="button"
            role="radio"
            aria-checked={chosen === "new"}
            aria-disabled={refusal !== undefined}
            title={refusal}
            className={cn(line, chosen === "new" && "bg-hover font-medium", refusal !== undefined && "text-subtle")}
            onClick={() => refusal === undefined && pick("new")}
          >
            <Plus aria-hidden className="size-4 shrink-0 text-subtle" />
            <span className="min-w-0 flex-1 truncate">New dataset “{search.trim()}”</span>
            {refusal !== undefined && <span className="shrink-0 text-meta text-subtle">{refusal}</span>}
          </button>
        )}
        {shown.length === 0 && !offersNew && !offer.isPending && (
          <p className="px-2 py-1 text-meta text-subtle">No dataset yet. Type a name for the first one.</p>
        )}
      </div>
    </div>
  );
}
