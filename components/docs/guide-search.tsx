"use client";

import Link from "next/link";
import { useState } from "react";
import { plural } from "@/components/kit/format";
import { Input } from "@/components/kit/input";
import { guideHref } from "@/domain/docs/guides";
import { searchGuides, type IndexedGroup } from "./guide-index";

/** Every guide in groups, narrowed by words in titles and headings. */
export function GuideSearch({ index }: { index: readonly IndexedGroup[] }) {
  const [text, setText] = useState("");
  const groups = searchGuides(index, text);
  const count = groups.reduce((sum, { guides }) => sum + guides.length, 0);
  return (
    <>
      <div className="mt-6 flex flex-wrap items-center gap-3">
        <Input
          type="search"
          aria-label="Search guides"
          placeholder="Search guides"
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="w-full sm:w-80"
        />
        <p role="status" className="text-meta text-muted">
          {plural(count, "guide")}
        </p>
      </div>
      {groups.map(({ heading, guides }) => (
        <section key={heading} aria-labelledby={`group-${heading}`} className="mt-8">
          <h2 id={`group-${heading}`} className="text-section font-semibold">
            {heading}
          </h2>
          <ul className="mt-2 border-t">
            {guides.map(({ name, title, description, headings }) => (
              <li key={name} className="border-b py-2.5">
                <Link
                  href={guideHref(name)}
                  prefetch={false}
                  className="text-body font-medium text-accent-text underline underline-offset-2"
                >
                  {title}
                </Link>
                <p className="text-table text-muted">{description}</p>
                {headings.length > 0 && (
                  <ul className="mt-1 flex flex-wrap gap-x-4 gap-y-1">
                    {headings.map((each) => (
                      <li key={each.id}>
                        <Link
                          href={guideHref(name, each.id)}
                          prefetch={false}
                          className="text-table text-muted underline underline-offset-2 hover:text-foreground"
                        >
                          {each.text}
                        </Link>
                      </li>
                    ))}
                  </ul>
                )}
              </li>
            ))}
          </ul>
        </section>
      ))}
      {count === 0 && (
        <p className="mt-8 text-body text-muted">
          No guide has this in its title or headings. Operations are in the{" "}
          <Link href="/docs/api" className="text-accent-text underline underline-offset-2">
            API reference
          </Link>
          .
        </p>
      )}
    </>
  );
}
