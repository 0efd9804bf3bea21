import { X } from "lucide-react";
import { IconButton } from "@/components/kit/icon-button";
import { Bytes } from "@/components/kit/measure";
import { Truncate } from "@/components/kit/truncate";
import type { ChosenFile } from "./chosen-files";

export interface ChosenFileListProps {
  files: readonly ChosenFile[];
  /** What a file is shown as; its path by default. */
  toText?: (file: ChosenFile) => string;
  onLeaveOut: (file: ChosenFile) => void;
}

/** Files that were chosen, with their sizes, empty ones in the critical colour; each can be left out. */
export function ChosenFileList({ files, toText = ({ path }) => path, onLeaveOut }: ChosenFileListProps) {
  return (
    <ul aria-label="Chosen files" className="flex max-h-48 flex-col overflow-y-auto text-table">
      {files.map((chosen) => (
        <li
          key={`${chosen.path} ${chosen.file.size} ${chosen.file.lastModified}`}
          className="flex h-8 items-center gap-3"
        >
          <Truncate text={toText(chosen)} className="flex-1" />
          <Bytes value={chosen.file.size} className={chosen.file.size === 0 ? "text-critical-text" : undefined} />
          <IconButton
            label={`Leave out ${chosen.path}`}
            size="sm"
            icon={<X aria-hidden />}
            onClick={() => onLeaveOut(chosen)}
          />
        </li>
      ))}
    </ul>
  );
}
