import { fromEvent, type FileWithPath } from "file-selector";

/** A file of a drop or a file dialog. */
export interface ChosenFile {
  /** From the folder that was chosen or dropped, which it begins with; the name of a file without one. */
  path: string;
  file: File;
}

/** Whether a system left a file in a folder for itself: nobody chose it, and it holds nothing of theirs. */
export const isOfSystem = (path: string): boolean =>
  /(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini|\._[^/]*)$/i.test(path) || /(^|\/)__MACOSX\//.test(path);

/** All files of a drop or a file dialog, also those inside folders, without what systems left there. */
export async function readChosenFiles(event: Event): Promise<ChosenFile[]> {
  const found = (await fromEvent(event)).filter((item): item is FileWithPath => item instanceof File);
  return found
    .map((file) => ({ file, path: (file.relativePath ?? file.name).replace(/^\.?\//, "") }))
    .filter(({ path }) => !isOfSystem(path));
}
