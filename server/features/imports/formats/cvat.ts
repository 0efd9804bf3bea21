import {
  BadAnnotationFile,
  readLimits,
  type AnnotationFile,
  type ReadLabel,
  type ReadOptions,
  type ReadPicture,
} from "@/server/features/imports/formats/annotation-file";
import { CvatLabels } from "@/server/features/imports/formats/cvat-labels";
import { readShapes } from "@/server/features/imports/formats/cvat-shapes";
import { findUidEnd, toPictureName } from "@/server/features/imports/formats/picture-names";
import { inSource, readSources, type Source } from "@/server/features/imports/formats/sources";
import { BadValue, inPlace, Omissions, readName, readSize } from "@/server/features/imports/formats/values";
import { readElements, type XmlElement } from "@/server/features/imports/formats/xml-elements";

export const isDocument = (name: string): boolean => name === "" || /(^|\/)annotations\.xml$/i.test(name);

/** A label of the head, of a task, a project or a job. */
const isLabel = (names: readonly string[]): boolean =>
  names[1] === "meta" && names.at(-1) === "label" && names.at(-2) === "labels";
const isPicture = (names: readonly string[]): boolean =>
  names.length === 2 && names[0] === "annotations" && (names[1] === "image" || names[1] === "track");

function readPicture(element: XmlElement, labels: CvatLabels, source: Source): ReadPicture {
  return inPlace(
    () => inSource(source, `line ${element.line}`),
    () => {
      const { name, width, height } = element.attributes;
      if (element.name === "track")
        throw new BadValue('This is "CVAT for video"; a video is annotated by tracks. Export "CVAT for images 1.1".');
      const picture = toPictureName(readName(name, "The name of a picture"));
      const size = readSize(width, height);
      if (!size) throw new BadValue(`${picture} has no width and height.`);
      if (element.children.length > readLimits.annotations)
        throw new BadValue(`${picture} has more than ${readLimits.annotations} annotations.`);
      const omissions = new Omissions();
      const annotations = readShapes(element, { name: picture, size, labels }, omissions);
      return { name: picture, uid: null, uidEnd: findUidEnd(picture), ...size, annotations, leftOut: omissions.list() };
    },
  );
}

const addLabel = (labels: CvatLabels, element: XmlElement, source: Source): void =>
  inPlace(
    () => inSource(source, `line ${element.line}`),
    () => labels.add(element),
  );

/** Documents of "CVAT for images 1.1" of tasks, jobs and projects, or archives with them. */
export const cvat = {
  readLabels: async (file: AnnotationFile): Promise<ReadLabel[]> => {
    const labels = new CvatLabels();
    for await (const source of readSources(file, isDocument)) {
      // The head precedes all pictures.
      const isHeadOrFirst = (names: readonly string[]) => isLabel(names) || isPicture(names);
      for await (const elements of readElements(source, isHeadOrFirst)) {
        for (const element of elements) if (element.name === "label") addLabel(labels, element, source);
        if (elements.some(({ name }) => name !== "label")) break;
      }
    }
    return labels.list();
  },
  async *readPictures(file: AnnotationFile, _options: ReadOptions): AsyncGenerator<ReadPicture> {
    let documents = 0;
    for await (const source of readSources(file, isDocument)) {
      documents += 1;
      const labels = new CvatLabels();
      for await (const elements of readElements(source, (names) => isLabel(names) || isPicture(names)))
        for (const element of elements)
          if (element.name === "label") addLabel(labels, element, source);
          else yield readPicture(element, labels, source);
    }
    if (documents === 0) throw new BadAnnotationFile("The ZIP archive holds no annotations.xml of CVAT.");
  },
};
