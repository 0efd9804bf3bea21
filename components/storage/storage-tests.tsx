"use client";

import { useState } from "react";
import { Drawer } from "@/components/kit/drawer";
import { None } from "@/components/kit/none";
import { InstantTime, RelativeTime } from "@/components/kit/time";
import { Truncate } from "@/components/kit/truncate";
import { DataTable, type DataTableColumn } from "@/components/list/data-table";
import { nextPage } from "@/components/list/list-input";
import { TableNote } from "@/components/list/table-note";
import { useListQuery } from "@/components/list/use-list-query";
import { Status } from "@/components/product/status";
import { useTRPC } from "@/components/trpc/client";
import { CheckList } from "./check-list";
import { checkTexts, originLabels } from "./labels";
import type { StorageTest } from "./query";

const failed = ({ checks }: StorageTest) => checks.filter(({ ok }) => ok === false);

const columns: readonly DataTableColumn<StorageTest>[] = [
  {
    id: "time",
    header: "Time",
    width: 180,
    required: true,
    narrow: "title",
    cell: (test) => <RelativeTime value={test.created_at} rich={false} />,
  },
  {
    id: "result",
    header: "Result",
    width: 150,
    narrow: "trailing",
    cell: (test) => (test.passed ? <Status tone="online">Works</Status> : <Status tone="error">Failed</Status>),
  },
  {
    id: "failed",
    header: "What failed",
    minWidth: 220,
    narrow: "meta",
    cell: (test) => {
      const found = failed(test);
      if (found.length === 0) return <None />;
      return <Truncate text={found.map(({ name, message }) => `${checkTexts[name].label}: ${message}`).join(" ")} />;
    },
  },
  { id: "origin", header: "Why", width: 140, cell: (test) => originLabels[test.origin] },
  {
    id: "by",
    header: "By",
    width: 200,
    cell: (test) => (test.origin === "daily" ? <None /> : <Truncate text={test.by_name} />),
  },
];

/** The last hundred tests of a bucket, newest first; each opens to its steps. */
export function StorageTests({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const { rows, table } = useListQuery(trpc.storage.tests.infiniteQueryOptions({ uid, limit: 50 }, nextPage));
  const [open, setOpen] = useState<string | null>(null);
  const shown = rows?.find((test) => test.uid === open);
  return (
    <>
      <DataTable
        {...table}
        id="storage-tests"
        label="Tests"
        noun={["test", "tests"]}
        columns={columns}
        rowKey={(test) => test.uid}
        rowLabel={(test) => `Test of ${test.created_at}`}
        selected={open}
        onSelect={setOpen}
        toolbar={<TableNote>Its last tests, newest first. Every bucket is tested once a day.</TableNote>}
        empty={
          <p className="px-4 py-8 text-table text-muted sm:px-6">
            Not tested yet. Test now, or wait for the daily test.
          </p>
        }
      />
      <Drawer
        open={shown !== undefined}
        onClose={() => setOpen(null)}
        title={shown?.passed === false ? "Failed test" : "Test"}
        subtitle={shown && <InstantTime value={shown.created_at} />}
      >
        {shown && <CheckList checks={shown.checks} />}
      </Drawer>
    </>
  );
}
