import type { FoundLabel } from "@/domain/projects/label-files/found-labels";
import type { Annotation } from "@/domain/tasks/schema";

/** A file of annotations on this machine's disk. */
export interface AnnotationFile {
  path: string;
  /** Bytes. */
  size: number;
}

export interface PictureSize {
  width: number;
  height: number;
}

/**
 * An annotation as results have it, with the attributes that the file gives it and, of text in XML, as text: what a label
 * expects makes the value. It has an `id`, a `source` or a `run` only where our own format says so.
 */
export type ReadAnnotation = Annotation & {
  /** What the file calls the track that it belongs to, beside an attribute `track` that it may have. */
  trackId?: string;
};

/** Why something of a picture is not among its annotations, as a sentence, and how much of it. */
export interface LeftOut {
  reason: string;
  count: number;
}

/**
 * What a file says of one picture. A picture is there several times where the file labels it several times, as our own
 * exports do for several projects.
 */
export interface ReadPicture {
  /** Its path, with `/`, never absolute and never with `..`; without extension where a file of YOLO does not say it. */
  name: string;
  /** The uid of the item that it was exported from; null where the file does not say it. */
  uid: string | null;
  /** The last twelve letters of such a uid, as our exports end the names of files with them; other names may look so too. */
  uidEnd: string | null;
  /** The size that the file says; null where it says none. */
  width: number | null;
  height: number | null;
  annotations: ReadAnnotation[];
  leftOut: LeftOut[];
}

/** A label as the file describes it, for `fitLabels`; what it does not know is not there. */
export type ReadLabel = FoundLabel;

export interface ReadOptions {
  /**
   * The size of the picture that a file names so, for formats whose lengths are shares of it; null for an unknown one,
   * whose shapes are then left out.
   */
  pictureSize?: (picture: Pick<ReadPicture, "name" | "uid" | "uidEnd">) => Promise<PictureSize | null>;
  /** Where files may be made while it is read; what is made is removed, also when reading ends early. */
  temporaryFolder: string;
}

/** Limits of what is held in memory while a file is read. */
export const readLimits = {
  labels: 500,
  /** Pictures that a list names before their annotations. */
  pictures: 1_000_000,
  /** Annotations of one picture, as many as a result may have. */
  annotations: 10_000,
  /** Bytes of one picture, annotation or element of XML. */
  valueBytes: 64 * 1024 * 1024,
  /** Elements, or lists and objects, in one of these: many small ones need more memory than bytes. */
  valueParts: 250_000,
} as const;

/** The file is none of its format, is damaged or beyond a limit. The message says what is wrong where, for the person who chose it. */
export class BadAnnotationFile extends Error {
  override readonly name = "BadAnnotationFile";
}
