"use client";

import { useMutation } from "@tanstack/react-query";
import { Bookmark, BookmarkPlus, Trash2 } from "lucide-react";
import Link from "next/link";
import { Suspense, useState, type ReactNode } from "react";
import { Button } from "@/components/kit/button";
import { CopyLink } from "@/components/kit/copy-link";
import { IconButton } from "@/components/kit/icon-button";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { Popover } from "@/components/kit/popover";
import { toast } from "@/components/product/toast";
import type { SaveDialogProps } from "./save-dialog";

// Loaded when something is saved, because it brings the form library.
const SaveDialog = lazyDialog(async () => (await import("./save-dialog")).SaveDialog);

interface SavedMenuProps<Entry extends { uid: string; name: string }> extends Omit<SaveDialogProps, "onClose"> {
  nouns: "views" | "queries";
  /** The button that opens the menu. */
  label: string;
  /** How to come to the first one. */
  hint: string;
  list: { data: { results: Entry[] } | undefined; error: unknown };
  open: boolean;
  onOpenChange: (open: boolean) => void;
  describe: (entry: Entry) => {
    /** Where it leads to, or what it does on this page. */
    target: string | (() => void);
    isCurrent: boolean;
    owner: ReactNode;
    isRemovable: boolean;
    tooltip?: string;
  };
  /** Why nothing can be saved now. */
  disabledReason?: string;
  onRemove: (entry: Entry) => Promise<unknown>;
  onRestore: (entry: Entry) => Promise<unknown>;
  className: string;
}

/** What is saved under names: pick one, save what the page shows now, copy the link. */
export function SavedMenu<Entry extends { uid: string; name: string }>(props: SavedMenuProps<Entry>) {
  const { noun, nouns, label, hint, list, open, onOpenChange, describe, disabledReason, className } = props;
  const [saving, setSaving] = useState(false);
  const entries = list.data?.results;
  const close = () => onOpenChange(false);
  const remove = useMutation({
    mutationFn: props.onRemove,
    onSuccess: (_, entry) =>
      toast.undo(`Deleted ${noun} ${entry.name}`, () => void props.onRestore(entry).catch(toast.failure)),
    onError: (error) => toast.failure(error),
  });
  return (
    <>
      <Popover
        title={`Saved ${nouns}`}
        open={open}
        onOpenChange={onOpenChange}
        trigger={
          <Button icon={<Bookmark aria-hidden />} aria-label={`Saved ${nouns}`}>
            <span className="max-sm:sr-only">{label}</span>
          </Button>
        }
        className={className}
      >
        {Boolean(list.error) && (
          <p className="px-2 py-1.5 text-table text-critical-text">The {nouns} could not be loaded.</p>
        )}
        {entries?.length === 0 && (
          <p className="px-2 py-1.5 text-table text-muted">
            No {nouns} yet. {hint}
          </p>
        )}
        {entries && entries.length > 0 && (
          <ul className="max-h-72 overflow-y-auto">
            {entries.map((entry) => {
              const { target, isCurrent, owner, isRemovable, tooltip } = describe(entry);
              const line = {
                title: tooltip,
                "aria-current": isCurrent || undefined,
                className:
                  "flex h-8 min-w-0 flex-1 items-center gap-2 rounded-control px-2 text-left text-table aria-current:font-medium",
                children: (
                  <>
                    <span className="truncate">{entry.name}</span>
                    <span className="ml-auto flex shrink-0 items-center gap-1 text-meta text-subtle">{owner}</span>
                  </>
                ),
              };
              return (
                <li key={entry.uid} className="group flex items-center rounded-control hover:bg-hover">
                  {typeof target === "string" ? (
                    <Link href={target} onClick={close} {...line} />
                  ) : (
                    <button
                      type="button"
                      onClick={() => {
                        close();
                        target();
                      }}
                      {...line}
                    />
                  )}
                  {isRemovable && (
                    <IconButton
                      label={`Delete ${noun} ${entry.name}`}
                      size="sm"
                      icon={<Trash2 aria-hidden />}
                      onClick={() => remove.mutate(entry)}
                    />
                  )}
                </li>
              );
            })}
          </ul>
        )}
        <div className="mt-1 flex flex-wrap gap-1 border-t p-1 pt-2">
          <Button
            size="sm"
            icon={<BookmarkPlus aria-hidden />}
            disabledReason={disabledReason}
            onClick={() => {
              close();
              setSaving(true);
            }}
          >
            Save {noun}
          </Button>
          <CopyLink size="sm" />
        </div>
      </Popover>
      <Suspense>
        {saving && (
          <SaveDialog
            noun={noun}
            description={props.description}
            isShareable={props.isShareable}
            onSave={props.onSave}
            onClose={() => setSaving(false)}
          />
        )}
      </Suspense>
    </>
  );
}
