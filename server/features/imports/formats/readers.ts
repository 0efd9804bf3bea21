import type { ImportFormat } from "@/domain/annotation-imports/formats";
import {
  BadAnnotationFile,
  type AnnotationFile,
  type ReadLabel,
  type ReadOptions,
  type ReadPicture,
} from "@/server/features/imports/formats/annotation-file";
import { coco } from "@/server/features/imports/formats/coco";
import { cvat, isDocument as isCvatDocument } from "@/server/features/imports/formats/cvat";
import { externalJson } from "@/server/features/imports/formats/external-json";
import { decideByMembers } from "@/server/features/imports/formats/json-values";
import { labelStudio } from "@/server/features/imports/formats/label-studio";
import { isArchive, readArchive, readSources, type Source } from "@/server/features/imports/formats/sources";
import { findStem, isClassList, isDescription, yolo } from "@/server/features/imports/formats/yolo";

/** Reads the annotations of one format. */
interface FormatReader {
  readLabels: (file: AnnotationFile, options: ReadOptions) => Promise<ReadLabel[]>;
  readPictures: (file: AnnotationFile, options: ReadOptions) => AsyncGenerator<ReadPicture>;
}

const readers: Readonly<Record<ImportFormat, FormatReader>> = {
  "avala-json-external": externalJson,
  YOLO: yolo,
  COCO: coco,
  CVAT: cvat,
  LabelStudio: labelStudio,
};

function decideJson(names: ReadonlySet<string>, isList: boolean): ImportFormat | null {
  if (isList) return names.has("data") ? "LabelStudio" : null;
  if (names.has("scheme_version") || names.has("datasets") || names.has("results")) return "avala-json-external";
  return ["images", "annotations", "categories"].some((name) => names.has(name)) ? "COCO" : null;
}

/** The format of a document by its first character that is no space. */
async function guessDocument(source: Source): Promise<ImportFormat | null> {
  for await (const part of source.read()) {
    const text = part
      .subarray(0, 64 * 1024)
      .toString()
      .replace(/^\uFEFF/, "")
      .trimStart();
    if (text === "") continue;
    if (/^[[{]/.test(text)) return decideByMembers(source, decideJson);
    return text.startsWith("<") && /<annotations[\s>]/.test(text) ? "CVAT" : null;
  }
  return null;
}

async function guessArchive(file: AnnotationFile): Promise<ImportFormat | null> {
  let guess: ImportFormat | null = null;
  let [hasLabels, hasClasses] = [false, false];
  for await (const source of readArchive(file)) {
    const { name } = source;
    if (isCvatDocument(name)) return "CVAT";
    if (isDescription(name)) return "YOLO";
    hasLabels ||= findStem(name) !== null;
    hasClasses ||= isClassList(name);
    if (guess === null && /\.json$/i.test(name)) guess = await guessDocument(source);
  }
  // Label Studio describes classes in a document beside them, which has the same members as one of COCO.
  if (hasLabels && hasClasses) return "YOLO";
  return guess ?? (hasLabels ? "YOLO" : null);
}

/** The format of a file by what is in it; null for one that is in none. Throws BadAnnotationFile for an empty file and a damaged archive. */
export async function guessFormat(file: AnnotationFile): Promise<ImportFormat | null> {
  if (file.size === 0) throw new BadAnnotationFile("The file is empty.");
  if (await isArchive(file)) return guessArchive(file);
  for await (const source of readSources(file, () => true)) return guessDocument(source);
  return null;
}

/**
 * The labels that a file describes, at most 500. Annotations may have others: where a file lists none, those that it uses
 * are all.
 */
export const readLabels = (file: AnnotationFile, format: ImportFormat, options: ReadOptions): Promise<ReadLabel[]> =>
  readers[format].readLabels(file, options);

/**
 * The pictures of a file, one after another; memory does not grow with the file. Throws BadAnnotationFile where it is
 * damaged, which may be after pictures, so that whoever stores them reads the file to its end first.
 */
export const readPictures = (
  file: AnnotationFile,
  format: ImportFormat,
  options: ReadOptions,
): AsyncGenerator<ReadPicture> => readers[format].readPictures(file, options);
