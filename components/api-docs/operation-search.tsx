"use client";

import Link from "next/link";
import { useState } from "react";
import { plural } from "@/components/kit/format";
import { Input } from "@/components/kit/input";

interface ListedArea {
  name: string;
  title: string;
  description: string;
  operations: { id: string; summary: string; method: string; path: string | null }[];
}

/** Every operation by area, narrowed by a text that its name, path or area contains. */
export function OperationSearch({ areas }: { areas: readonly ListedArea[] }) {
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase().split(/\s+/);
  const shown = areas.flatMap((area) => {
    const operations = area.operations.filter(({ id, summary, method, path }) => {
      const facts = `${area.title} ${id} ${summary} ${method} ${path ?? ""}`.toLowerCase();
      return wanted.every((word) => facts.includes(word));
    });
    return operations.length > 0 ? [{ ...area, operations }] : [];
  });
  // What Muster sends has no path: it is no operation that somebody calls.
  const listed = shown.flatMap(({ operations }) => operations);
  const sent = listed.filter(({ path }) => path === null).length;
  return (
    <>
      <div className="mt-6 flex flex-wrap items-center gap-3">
        <Input
          type="search"
          aria-label="Search operations"
          placeholder="Search operations"
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="w-full sm:w-80"
        />
        <p role="status" className="text-meta text-muted">
          {plural(listed.length - sent, "operation")}
          {sent > 0 && `, ${plural(sent, "message")} that Muster sends`}
        </p>
      </div>
      {shown.map(({ name, title, description, operations }) => (
        <section key={name} aria-labelledby={`area-${name}`} className="mt-8">
          <h2 id={`area-${name}`} className="text-section font-semibold">
            <Link href={`/docs/api/${name}`} className="hover:underline">
              {title}
            </Link>
          </h2>
          <p className="mt-1 text-table text-muted">{description}</p>
          <ul className="mt-2 border-t">
            {operations.map(({ id, summary, method, path }) => (
              <li key={id} className="flex flex-wrap items-baseline gap-x-3 border-b py-1.5">
                <Link
                  href={`/docs/api/${name}#${id}`}
                  className="text-table text-accent-text underline underline-offset-2"
                >
                  {summary}
                </Link>
                <code className="min-w-0 font-mono text-meta break-all text-muted">
                  {method} {path ?? "to your address"}
                </code>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
