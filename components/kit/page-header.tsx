"use client";

import { ChevronRight } from "lucide-react";
import Link from "next/link";
import { Fragment, useEffect, type ReactNode } from "react";
import { cn } from "./cn";

export interface PageHeaderProps {
  /** The page's h1; an object's own name where the page is about one. */
  title: ReactNode;
  /** The way here: `[{ label: "Devices", href: "/devices" }]`. */
  trail?: readonly { label: string; href: string }[];
  /** Beside the title: a status. */
  status?: ReactNode;
  /** One line of meta below: uid chip, tags, reason. */
  meta?: ReactNode;
  /** Buttons on the right, the main one last. */
  actions?: ReactNode;
  /** All in one line where there is room for it, for pages whose content needs the height. */
  isOneLine?: boolean;
  className?: string;
}

/** The head of a page: its path, name, state and actions. Sits on the surface without a line below. */
export function PageHeader({ title, trail = [], status, meta, actions, isOneLine, className }: PageHeaderProps) {
  const isList = trail.length === 0;
  const about = meta !== undefined && (
    <div
      className={cn(
        "flex flex-wrap items-center gap-x-4 gap-y-1 text-table text-muted",
        isOneLine && "xl:flex-nowrap xl:whitespace-nowrap",
      )}
    >
      {meta}
    </div>
  );
  return (
    <header
      className={cn(
        "flex shrink-0 flex-wrap items-start gap-x-4 gap-y-2 px-4 pt-4 pb-3 sm:px-6",
        isOneLine && "xl:flex-nowrap xl:items-center xl:px-4 xl:py-1",
        className,
      )}
    >
      <div
        className={cn(
          "min-w-0 flex-1 basis-40",
          !isList && "max-sm:basis-54",
          isOneLine && "xl:flex xl:min-h-9 xl:items-center xl:gap-x-3",
        )}
      >
        {!isList && (
          <nav
            aria-label="Breadcrumb"
            className={cn(
              "mb-0.5 flex items-center gap-1 text-meta text-subtle",
              isOneLine && "xl:mb-0 xl:shrink-0 xl:after:ml-2 xl:after:content-['/']",
            )}
          >
            {trail.map((step, at) => (
              <Fragment key={step.href}>
                {/* Between steps only: the page itself is the heading below. */}
                {at > 0 && <ChevronRight aria-hidden className="size-3" />}
                <Link href={step.href} className="rounded-control hover:text-foreground hover:underline">
                  {step.label}
                </Link>
              </Fragment>
            ))}
          </nav>
        )}
        <div
          className={cn(
            "flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1",
            isOneLine && "xl:min-w-24 xl:shrink xl:flex-nowrap",
          )}
        >
          <h1 className="min-w-0 text-title font-semibold wrap-break-word max-sm:line-clamp-2 sm:truncate tracking-[-0.01em]">
            {title}
          </h1>
          {status}
        </div>
        {about && !isList && (
          // What has no room is cut at the end, but not the ring of the focus.
          <div
            className={cn(
              "mt-0.5",
              isOneLine && "xl:mt-0 xl:min-w-0 xl:shrink-[9] xl:overflow-clip xl:[overflow-clip-margin:4px]",
            )}
          >
            {about}
          </div>
        )}
      </div>
      {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      {/* Below both, where a button beside it would leave it a narrow column. */}
      {about && isList && <div className="-mt-1.5 basis-full">{about}</div>}
    </header>
  );
}

/** A page's own section: h2, an optional line about it, and what it holds. */
export function Section(props: {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  className?: string;
}) {
  return (
    <section className={cn("min-w-0", props.className)}>
      <div className="mb-3 flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-60">
          <h2 className="text-section font-semibold">{props.title}</h2>
          {props.description !== undefined && <p className="text-table text-muted">{props.description}</p>}
        </div>
        {props.actions}
      </div>
      {props.children}
    </section>
  );
}

/** The scrolling body of a page that is not one table; `narrow` keeps forms and prose at 640 px. */
export function PageBody({
  children,
  narrow = false,
  className,
}: {
  children: ReactNode;
  narrow?: boolean;
  className?: string;
}) {
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className={cn("flex flex-col gap-8 px-4 pt-4 pb-12 sm:px-6", narrow && "max-w-172", className)}>
        {children}
      </div>
    </div>
  );
}

/** Sets the window's title to `<title> · Muster` for names only the browser knows; static pages export `metadata`. */
export function usePageTitle(title: string | undefined, product = "Muster"): void {
  useEffect(() => {
    if (title) document.title = `${title} · ${product}`;
  }, [title, product]);
}
