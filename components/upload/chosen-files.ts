import { fromEvent, type FileWithPath } from "file-selector";

/** A file of a drop or a file dialog. */
export interface ChosenFile {
  /** From the folder that was chosen or dropped, which it begins with; the name of a file without one. */
  path: string;
  file: File;
}

/** All files of a drop or a file dialog, also those inside folders. */
export async function readChosenFiles(event: Event): Promise<ChosenFile[]> {
  const found = (await fromEvent(event)).filter((item): item is FileWithPath => item instanceof File);
  return found.map((file) => ({ file, path: (file.relativePath ?? file.name).replace(/^\.?\//, "") }));
}
