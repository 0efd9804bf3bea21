import { z } from "zod";
import { importModes, maxImportBytes, maxImportLabels, sizeChoices } from "@/domain/annotation-imports/choices";
import { importFormats } from "@/domain/annotation-imports/formats";
import { choice, longPage, nonBlank, uid } from "@/domain/fields";

export const ImportUid = z.object({ uid: uid() });

export const CreateImport = z
  .object({
    file_name: nonBlank(255).describe("As results name it."),
    size_bytes: z
      .int()
      .min(1, { error: "Ensure this value is greater than or equal to 1." })
      .max(maxImportBytes, { error: `Ensure this value is less than or equal to ${maxImportBytes}.` })
      .describe("Of the file."),
  })
  .meta({ example: { file_name: "instances.json", size_bytes: 482_113 } });
export type CreateImport = z.output<typeof CreateImport>;

export const CheckImport = z
  .object({ format: choice(importFormats).describe("Found out from the file without it.").optional() })
  .meta({ example: { format: "COCO" } });
export type CheckImport = z.output<typeof CheckImport>;

/** What becomes of labels of a file, by their names. */
const LabelChoices = z
  .record(z.string().max(1_000), nonBlank(100).nullable())
  .refine((labels) => Object.keys(labels).length <= maxImportLabels, {
    error: `Ensure this field has no more than ${maxImportLabels} members.`,
  });

export const StartImport = z
  .object({
    mode: choice(importModes).describe("What the annotations become."),
    sizes: choice(sizeChoices).describe("What becomes of pictures of another size than their items.").default("refuse"),
    labels: LabelChoices.describe(
      "The label of the project that each label of the file becomes, which is made if it is not there; null leaves it out.",
    ).default({}),
  })
  .meta({ example: { mode: "accepted", labels: { person: "pedestrian", tree: null } } });
export type StartImport = z.output<typeof StartImport>;

export const ImportFilters = z.object(longPage());
export type ImportFilters = z.output<typeof ImportFilters>;

/** Width and height in pixels. */
const size = z.tuple([z.number(), z.number()]);

/** What was found in a file before anything changed. */
export const ImportFindings = z.object({
  pictures: z.int().describe("Pictures that the file names."),
  matched: z.int().describe("Those with a task in the project."),
  by_name: z.int().describe("Those of them found by the name alone, without its folder."),
  open: z.int().describe("Those of them whose tasks nobody has begun, each item once."),
  repeated: z
    .int()
    .default(0)
    .describe("Those of them with annotations whose item one before names: only the first is taken."),
  empty: z.int().describe("Pictures without annotations, which change nothing."),
  annotations: z.int(),
  unmatched: z.array(z.string()).describe("Names of pictures that have no task, at most 20."),
  resized: z.int().describe("Matched pictures of another size than their items."),
  resized_pictures: z
    .array(z.object({ name: z.string(), file: size, item: size }))
    .describe("At most 20 of them, with width and height."),
  labels: z.array(
    z.object({
      name: z.string(),
      count: z.int(),
      types: z.array(z.string()),
      label: z.string().nullable().describe("The label of the project that it is; null for none."),
    }),
  ),
});
export type ImportFindings = z.output<typeof ImportFindings>;

/** Something that was left out, and why. */
export const ImportReportRow = z.object({
  picture: z.string(),
  annotation: z.int().nullable().describe("Its place in the picture, from 1; null for the whole picture."),
  reason: z.string(),
});
export type ImportReportRow = z.output<typeof ImportReportRow>;
