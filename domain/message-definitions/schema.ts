import { z } from "zod";
import { list, nonBlank, pageFields, text, uid } from "@/domain/fields";
import { definitionFileNames, getDefinitionFormat, toTypeName } from "@/domain/message-definitions/type-name";
import { filePath } from "@/domain/uploads/file-path";

/** An organization keeps at most this many, so that a recording can be read with all of them. */
export const maxDefinitions = 2_000;
/** Bytes of all of them, which conversions hold in memory. */
export const maxDefinitionBytes = 16 * 1024 * 1024;
/** Files that are added at once. */
export const maxDefinitionFiles = 500;
/** The longest that can be read as a schema. */
export const maxDefinitionLength = 128 * 1024;

/** The name of a type in ROS: a package and a message. */
const typeName = /^[A-Za-z]\w*\/[A-Za-z]\w*$/;

const definitionPath = filePath()
  .refine((path) => getDefinitionFormat(path) !== null, { error: `Must be a ${definitionFileNames} file.` })
  .refine((path) => getDefinitionFormat(path) === null || typeName.test(toTypeName(path)), {
    error: "Must name the package and the type, such as my_msgs/msg/Status.msg.",
  })
  .describe("Ends in `<package>/msg/<Type>.msg`, or in `.srv`, `.action` or `.idl`.");

export const SaveMessageDefinitions = z
  .object({
    files: list(
      z.object({ path: definitionPath, text: nonBlank(maxDefinitionLength).describe("The file's content.") }),
      maxDefinitionFiles,
      1,
    ),
  })
  .meta({ example: { files: [{ path: "my_msgs/msg/Status.msg", text: "float32 load\nstring state\n" }] } });
export type SaveMessageDefinitions = z.output<typeof SaveMessageDefinitions>;

export const MessageDefinitionFilters = z.object({ name: text(200).optional(), ...pageFields() });
export type MessageDefinitionFilters = z.output<typeof MessageDefinitionFilters>;
export const MessageDefinitionUid = z.object({ uid: uid() });
