"use client";

import { Dialog } from "@/components/kit/dialog";
import { KeyHint } from "@/components/kit/kbd";
import { guideHref } from "@/domain/docs/guides";
import { keyCommands, type KeyCommand } from "./key-commands";

const groups: readonly KeyCommand["group"][] = ["Tools", "Edit", "Shapes", "Look", "Work"];

/** All keys of the editor. */
export function KeyHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title="Keys of the editor" size="lg" reading>
      <div className="gap-x-10 sm:columns-2">
        {groups.map((group) => (
          <section key={group} className="mb-6 break-inside-avoid">
            <h3 className="mb-1 text-meta text-subtle">{group}</h3>
            <dl>
              {keyCommands
                .filter((command) => command.group === group && !command.isHidden)
                .map(({ keys: [keys = ""], label }) => (
                  <div
                    key={keys}
                    className="flex min-h-8 items-center justify-between gap-4 border-b py-1 last:border-0"
                  >
                    <dt>{label}</dt>
                    <dd>
                      <KeyHint keys={keys} />
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
      <p className="text-table text-muted">
        By pointer: the wheel enlarges, the middle button or Space moves the picture, Shift snaps to points and edges
        while drawing, Alt puts a point in or takes it out.{" "}
        <a
          href={guideHref("annotation", "the-editor")}
          target="_blank"
          rel="noreferrer"
          className="text-accent-text underline underline-offset-2"
        >
          How pictures are labelled
        </a>
      </p>
    </Dialog>
  );
}
