import type * as RareEncodings from "@/engine/decode/rare-encodings";
import type { ChannelDefinition } from "@/engine/formats/channel-definition";
import { loadLaterScript } from "./later-script";

type Rare = typeof RareEncodings;
type Encodings = Pick<ChannelDefinition, "messageEncoding" | "schemaEncoding">;

const rareMessages = ["cbor", "flatbuffer", "msgpack"];
const rareSchemas = ["omgidl", "ros2idl"];

let loaded: Rare | null = null;

/** Loads what few recordings need, where one of these channels does. Throws where it cannot be loaded. */
export async function loadRareEncodings(channels: readonly Encodings[]): Promise<void> {
  const isRare = ({ messageEncoding, schemaEncoding }: Encodings) =>
    rareMessages.includes(messageEncoding) || rareSchemas.includes(schemaEncoding);
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
