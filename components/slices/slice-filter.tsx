"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Lock, Pencil } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { parseAsString, useQueryState } from "nuqs";
import { Fragment, useId, useState } from "react";
import { exportHref } from "@/components/exports/query";
import { FilterBox } from "@/components/items/filter/filter-box";
import { ItemCount } from "@/components/items/filter/item-count";
import { readFilter } from "@/components/items/filter/read-filter";
import { newSliceHref } from "@/components/items/filter/slice-address";
import { useItemCount } from "@/components/items/filter/use-item-count";
import { Button, ButtonLink } from "@/components/kit/button";
import { plural } from "@/components/kit/format";
import { Section } from "@/components/kit/page-header";
import { readFailure } from "@/components/product/failure";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { filterConditions } from "@/domain/items/filter";
import type { Slice } from "./query";

/** The filter of a slice, locked until it is edited, with what it holds at this moment. */
export function SliceFilter({ slice }: { slice: Slice }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const router = useRouter();
  const filterId = useId();
  const [edit, setEdit] = useQueryState("edit", parseAsString);
  // Null until something is typed, so that what somebody else saves meanwhile is shown.
  const [typed, setTyped] = useState<string | null>(null);
  const draft = typed ?? slice.filter_query_string;
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const { refusal } = usePermissions();
  const own = refusal({ author: slice.created_by_uid });
  const editing = edit !== null && own === undefined;
  const filter = editing ? draft : slice.filter_query_string;
  // How many items it holds stands in the head of the page, and they are in its grid.
  const conditions = countConditions(filter);
  const isCounted = editing || conditions > 1 || slice.item_count === 0;
  const counted = useItemCount({ datasets: isCounted ? [slice.dataset] : [], slices: [], projects: [], filter });
  const changed = draft.trim() !== slice.filter_query_string;
  const unreadable = counted.state === "invalid" ? "The filter cannot be read yet." : undefined;

  const change = (next: string) => {
    if (own !== undefined) {
      router.push(newSliceHref({ dataset: slice.dataset, filter: next }));
      return;
    }
    setFault(null);
    setTyped(next);
    if (!editing) void setEdit("1");
  };
  const cancel = () => {
    setTyped(null);
    setFault(null);
    void setEdit(null);
  };
  const save = async () => {
    if (busy || !changed || unreadable !== undefined) return;
    setBusy(true);
    try {
      await client.slices.update.mutate({ uid: slice.uid, change: { filter_query_string: draft } });
      await setEdit(null);
      setTyped(null);
      await queryClient.invalidateQueries(trpc.slices.pathFilter());
    } catch (error) {
      const { issues, detail } = readFailure(error);
      setFault(issues.length > 0 ? issues.map(({ message }) => message).join(" ") : detail);
      if (issues.length === 0) toast.failure(error, { title: "The filter was not saved" });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Section
      title="Filter"
      actions={
        editing ? (
          <div className="flex flex-wrap gap-2">
            <Button onClick={cancel}>Cancel</Button>
            <ButtonLink href={newSliceHref({ dataset: slice.dataset, filter: draft })} disabledReason={unreadable}>
              Save as
            </ButtonLink>
            <Button
              variant="primary"
              busy={busy}
              disabledReason={unreadable ?? (changed ? undefined : "Nothing is changed.")}
              onClick={() => void save()}
            >
              Save
            </Button>
          </div>
        ) : (
          <Button icon={<Pencil aria-hidden />} disabledReason={own} onClick={() => void setEdit("1")}>
            Edit
          </Button>
        )
      }
    >
      <div className="grid gap-x-10 gap-y-4 lg:grid-cols-[minmax(0,26rem)_minmax(0,1fr)]">
        <div className="flex min-w-0 flex-col gap-2">
          {editing ? (
            <FilterBox
              id={filterId}
              datasets={[slice.dataset]}
              value={draft}
              onChange={change}
              onRun={counted.again}
              label="Filter items"
            />
          ) : (
            <div className="flex min-h-8 min-w-0 items-start gap-2 rounded-panel border bg-surface px-2.5 py-1.5">
              <Lock aria-label="Locked" className="mt-0.5 size-3.5 shrink-0 text-subtle" />
              {filter === "" ? (
                <span className="text-table text-subtle">Every item of the dataset</span>
              ) : (
                <code className="min-w-0 font-mono text-table break-words">{filter}</code>
              )}
            </div>
          )}
          {fault !== null && (
            <p role="alert" className="text-meta text-critical-text">
              {fault}
            </p>
          )}
          {editing && changed && <Consequences uid={slice.uid} />}
        </div>
        {/* What is counted takes this room, so that nothing below moves when it comes. */}
        {isCounted && (
          <div style={{ minHeight: editing ? countedRoom(slice) : briefRoom(conditions) }} className="min-w-0">
            <ItemCount counted={counted} filter={filter} onChange={change} brief={!editing} />
          </div>
        )}
      </div>
    </Section>
  );
}

const countConditions = (filter: string): number => filterConditions(readFilter(filter).filter).length;

/** Room in px for what each condition removes. */
const briefRoom = (conditions: number): number => (conditions > 1 ? 26 + 37 * conditions : 28);

/** Room in px for the count, what each condition removes, and a line for each of the first items. */
const countedRoom = ({ item_count: count, filter_query_string: filter }: Slice): number =>
  76 + (filter === "" ? 0 : 96) + 29 * Math.min(5, count);

const maxNamed = 5;

/** What another filter means for those who use the slice. */
function Consequences({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.slices.usedBy.queryOptions({ uid }));
  const open = data?.open_export_count ?? 0;
  if (!data || open === 0) return null;
  const named = data.exports
    .filter(({ status }) => status === "requested" || status === "exporting")
    .slice(0, maxNamed);
  return (
    <p role="status" className="text-meta text-muted">
      {plural(open, "export")} that {open === 1 ? "is" : "are"} not finished{" "}
      {open === 1 ? "takes its items" : "take their items"} from it:{" "}
      {named.map(({ uid: of, name }, at) => (
        <Fragment key={of}>
          {at > 0 && ", "}
          <Link href={exportHref(of)} className="text-accent-text underline underline-offset-2">
            {name}
          </Link>
        </Fragment>
      ))}
      {open > named.length && ` and ${open - named.length} more`}
    </p>
  );
}
