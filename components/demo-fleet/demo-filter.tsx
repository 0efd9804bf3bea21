"use client";

import { useQuery } from "@tanstack/react-query";
import { Button } from "@/components/kit/button";
import type { FilterDefinition, Filters } from "@/components/kit/filters";
import { useTRPC } from "@/components/trpc/client";

/** The filter of every list that can hold rows of the demo fleet. */
export const demoDefinition: FilterDefinition & { key: "demo" } = {
  key: "demo",
  label: "Demo fleet",
  options: [
    { value: "false", label: "Hidden" },
    { value: "true", label: "Only" },
  ],
};

/** Says that a list leaves out the demo fleet, which it does once there is a device of one's own, and shows it. */
export function DemoNote({ filters }: { filters: Pick<Filters, "values" | "set"> }) {
  const trpc = useTRPC();
  const { data } = useQuery({ ...trpc.demo.status.queryOptions(), staleTime: 60_000 });
  if (!data?.hidden || filters.values.demo) return null;
  return (
    <Button
      variant="ghost"
      size="sm"
      className="shrink-0 max-sm:order-last max-sm:-mx-2 max-sm:w-full max-sm:justify-start"
      onClick={() => filters.set("demo", "true")}
    >
      Demo hidden: show
    </Button>
  );
}
