import { z } from "zod";
import { definitionFormats } from "@/domain/message-definitions/type-name";

/** A message definition kept for the organization, without its text. */
export const MessageDefinitionResource = z.object({
  uid: z.string(),
  name: z.string().describe("`package/Type`."),
  format: z.enum(definitionFormats),
  size_bytes: z.int(),
  created_by: z.string().nullable().describe("Uid of who added it."),
  created_by_name: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type MessageDefinitionResource = z.output<typeof MessageDefinitionResource>;

export const MessageDefinitionDetail = MessageDefinitionResource.extend({ text: z.string() });
export type MessageDefinitionDetail = z.output<typeof MessageDefinitionDetail>;

export const SavedMessageDefinitions = z.object({
  added: z.int(),
  replaced: z.int().describe("Files of types that were defined before, with other content."),
});
export type SavedMessageDefinitions = z.output<typeof SavedMessageDefinitions>;
