"use client";

import { Ellipsis } from "lucide-react";
import type { ReactNode } from "react";
import { Drawer } from "@/components/kit/drawer";
import { IconButton } from "@/components/kit/icon-button";
import { Menu, type MenuItem } from "@/components/kit/menu";
import { Skeleton, SkeletonText } from "@/components/kit/skeleton";
import { ErrorState } from "./error-state";

export interface ResourceDrawerProps<Resource> {
  /** The object shown; null closes the drawer. */
  uid: string | null;
  /** "device": shown until its name is known, and in errors. */
  noun: string;
  /** Undefined while it loads. */
  resource: Resource | undefined;
  getName: (resource: Resource) => string;
  subtitle?: (resource: Resource) => ReactNode;
  /** What leads to its page, before its menu. */
  links: (resource: Resource) => ReactNode;
  menu: (resource: Resource) => MenuItem[];
  query: { error: unknown; refetch: () => unknown };
  onClose: () => void;
  children: (resource: Resource) => ReactNode;
}

/** One row of a list at a glance, beside it. */
export function ResourceDrawer<Resource>(props: ResourceDrawerProps<Resource>) {
  const { uid, noun, resource, getName, subtitle, links, menu, query, onClose, children } = props;
  return (
    <Drawer
      open={uid !== null}
      onClose={onClose}
      title={resource ? getName(resource) : noun.charAt(0).toUpperCase() + noun.slice(1)}
      subtitle={subtitle && (resource ? subtitle(resource) : <Skeleton className="my-0.5 h-3 w-40" />)}
      actions={
        resource && (
          <>
            {links(resource)}
            <Menu
              items={menu(resource)}
              trigger={
                <IconButton label={`Actions for ${getName(resource)}`} size="sm" icon={<Ellipsis aria-hidden />} />
              }
            />
          </>
        )
      }
    >
      {resource ? (
        <div className="flex flex-col gap-6">{children(resource)}</div>
      ) : query.error ? (
        <ErrorState
          error={query.error}
          title={`This ${noun} could not be loaded`}
          onRetry={() => void query.refetch()}
        />
      ) : (
        <SkeletonText lines={6} />
      )}
    </Drawer>
  );
}
