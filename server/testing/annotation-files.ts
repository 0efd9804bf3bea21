import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ImportFormat } from "@/domain/annotation-imports/formats";
import {
  BadAnnotationFile,
  type AnnotationFile,
  type PictureSize,
  type ReadLabel,
  type ReadPicture,
} from "@/server/features/imports/formats/annotation-file";
import { readLabels, readPictures } from "@/server/features/imports/formats/readers";
import { zipBytes, type ZippedFile } from "@/server/testing/zip-bytes";

/** Files of annotations in a folder that is removed with them. */
export class AnnotationFiles {
  private readonly folder = mkdtempSync(path.join(tmpdir(), "annotation-files-"));
  private readonly temporary = mkdtempSync(path.join(tmpdir(), "annotation-reads-"));
  private count = 0;

  write(content: string | Uint8Array): AnnotationFile {
    this.count += 1;
    const file = path.join(this.folder, String(this.count));
    const bytes = Buffer.from(content);
    writeFileSync(file, bytes);
    return { path: file, size: bytes.length };
  }

  zip(files: readonly ZippedFile[]): AnnotationFile {
    return this.write(zipBytes(files));
  }

  async read(file: AnnotationFile, format: ImportFormat, size: PictureSize | null = null): Promise<ReadPicture[]> {
    const pictures: ReadPicture[] = [];
    for await (const picture of readPictures(file, format, this.options(size))) pictures.push(picture);
    return pictures;
  }

  readLabels(file: AnnotationFile, format: ImportFormat): Promise<ReadLabel[]> {
    return readLabels(file, format, this.options(null));
  }

  /** Why a file is refused. */
  async refuse(file: AnnotationFile, format: ImportFormat, size: PictureSize | null = null): Promise<string> {
    try {
      await this.read(file, format, size);
    } catch (error) {
      if (error instanceof BadAnnotationFile) return error.message;
      throw error;
    }
    return "it was read";
  }

  options(size: PictureSize | null) {
    return { temporaryFolder: this.temporary, pictureSize: () => Promise.resolve(size) };
  }

  /** What reading has left behind. */
  listLeftovers(): string[] {
    return readdirSync(this.temporary);
  }

  remove(): void {
    for (const folder of [this.folder, this.temporary]) rmSync(folder, { recursive: true });
  }
}
