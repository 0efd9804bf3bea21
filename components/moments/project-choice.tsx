"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Plus, Tags } from "lucide-react";
import { useState } from "react";
import { cn } from "@/components/kit/cn";
import { Field } from "@/components/kit/field";
import { plural } from "@/components/kit/format";
import { Input } from "@/components/kit/input";
import { usePermissions } from "@/components/product/permissions";
import { useTRPC } from "@/components/trpc/client";

const maxShown = 5;

/** The project that a search means: the one picked, else the first that fits, else a new one. */
export function useProjectChoice() {
  const trpc = useTRPC();
  const refusal = usePermissions().refusal({ role: "admin" });
  const [search, setSearch] = useState("");
  const [picked, setPicked] = useState<string | null>(null);
  const query = useQuery({
    ...trpc.projects.labelTargets.queryOptions({ search: search.trim() }),
    placeholderData: keepPreviousData,
  });
  const shown = (query.data ?? []).slice(0, maxShown);
  const known = shown.find(({ project }) => project === picked) ?? shown[0];
  const isNew = refusal === undefined && !query.isPending && (picked === "new" || known === undefined);
  return {
    ...{ search, shown, refusal, isPending: query.isPending },
    choice: isNew ? ("new" as const) : (known ?? null),
    setSearch: (next: string) => {
      setSearch(next);
      setPicked(null);
    },
    pick: setPicked,
  };
}

/** The projects in which somebody may label, and a new one; the chosen one is where Enter leads. */
export function ProjectChoice({ offer }: { offer: ReturnType<typeof useProjectChoice> }) {
  const { search, setSearch, shown, pick, refusal, choice, isPending } = offer;
  const chosen = choice === "new" ? "new" : choice?.project;
  const line = (value: string) =>
    cn(
      "flex min-h-8 w-full items-center gap-2 rounded-control px-2 text-left text-table hover:bg-hover",
      chosen === value && "bg-hover font-medium",
    );
  return (
    <div>
      <Field label="Project">
        <Input value={search} onValueChange={setSearch} placeholder="Search" autoComplete="off" autoFocus />
      </Field>
      <div role="radiogroup" aria-label="Projects" className="mt-1 min-h-8">
        {shown.map(({ project, project_name: name, item_count: items }) => (
          <button
            key={project}
            type="button"
            role="radio"
            aria-checked={chosen === project}
            className={line(project)}
            onClick={() => pick(project)}
          >
            <Tags aria-hidden className="size-4 shrink-0 text-subtle" />
            <span className="min-w-0 flex-1 truncate">{name}</span>
            <span className="shrink-0 text-meta font-normal text-subtle">{plural(items, "item")}</span>
          </button>
        ))}
        <button
          type="button"
          role="radio"
          aria-checked={chosen === "new"}
          aria-disabled={refusal !== undefined}
          className={cn(line("new"), refusal !== undefined && "text-subtle")}
          onClick={() => refusal === undefined && pick("new")}
        >
          <Plus aria-hidden className="size-4 shrink-0 text-subtle" />
          <span className="min-w-0 flex-1 truncate">New project</span>
          {refusal !== undefined && <span className="shrink-0 text-meta text-subtle">{refusal}</span>}
        </button>
        {shown.length === 0 && !isPending && search !== "" && (
          <p className="px-2 py-1 text-meta text-subtle">No active project has that name.</p>
        )}
      </div>
    </div>
  );
}
