import { loadLaterScript } from "@/components/kit/later-script";
import { utf8Text } from "@/engine/bytes";
import type * as RareEncodings from "@/engine/decode/rare-encodings";
import type { ChannelDefinition } from "@/engine/formats/channel-definition";

type Rare = typeof RareEncodings;
type Encodings = Pick<ChannelDefinition, "messageEncoding" | "schemaEncoding" | "schemaData">;

const rareMessages = ["cbor", "flatbuffer", "msgpack"];
const rareSchemas = ["omgidl", "ros2idl"];
const textSchemas = ["ros1msg", "ros2msg"];
/** Texts of wide characters, and what separates the parts of services and actions. */
const rareText = /\bwstring\b|^[^\S\n]*---/m;

let loaded: Rare | null = null;

/** Loads what few recordings need, where one of these channels does. Throws where it cannot be loaded. */
export async function loadRareEncodings(channels: readonly Encodings[]): Promise<void> {
  const known = new Map<Uint8Array, boolean>();
  const hasRareText = (schema: Uint8Array): boolean => {
    const isRare = known.get(schema) ?? rareText.test(utf8Text(schema));
    known.set(schema, isRare);
    return isRare;
  };
  const isRare = ({ messageEncoding, schemaEncoding, schemaData }: Encodings) =>
    rareMessages.includes(messageEncoding) ||
    rareSchemas.includes(schemaEncoding) ||
    (textSchemas.includes(schemaEncoding) && hasRareText(schemaData));
  if (channels.some(isRare)) loaded ??= await loadLaterScript(() => import("@/engine/decode/rare-encodings"));
}

function getRare(): Rare {
  if (!loaded) throw new Error("A recording was read before its encodings were loaded.");
  return loaded;
}

export const decodeCbor: Rare["decodeCbor"] = (data) => getRare().decodeCbor(data);
export const decodeMsgpack: Rare["decodeMsgpack"] = (data) => getRare().decodeMsgpack(data);
export const parseFlatSchema: Rare["parseFlatSchema"] = (data, name) => getRare().parseFlatSchema(data, name);
export const createFlatDecoder: Rare["createFlatDecoder"] = (type, only) => getRare().createFlatDecoder(type, only);
export const parseOmgIdlSchema: Rare["parseOmgIdlSchema"] = (text, name) => getRare().parseOmgIdlSchema(text, name);
export const parseRos2IdlSchema: Rare["parseRos2IdlSchema"] = (text, name) => getRare().parseRos2IdlSchema(text, name);
export const createOmgIdlDecoder: Rare["createOmgIdlDecoder"] = (root, definitions) =>
  getRare().createOmgIdlDecoder(root, definitions);
export const createWideDecoder: Rare["createWideDecoder"] = (type) => getRare().createWideDecoder(type);
export const deriveTypes: Rare["deriveTypes"] = (name, parts) => getRare().deriveTypes(name, parts);
