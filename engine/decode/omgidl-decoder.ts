import type { IDLMessageDefinition } from "@foxglove/omgidl-parser";
import { MessageReader } from "@foxglove/omgidl-serialization";
import { isMutable, MutableDecoder } from "@/engine/decode/mutable-payload";

/** Decodes messages of a schema in OMG IDL. What it throws says only that they do not match. */
export function createOmgIdlDecoder(root: string, definitions: IDLMessageDefinition[]): (data: Uint8Array) => unknown {
  const reader = new MessageReader(root, definitions);
  // It takes the members of mutable types in the order of the schema only, and all of them.
  const mutable = new MutableDecoder(root, definitions);
  // The library reads beyond the end of a view, so it gets a copy with nothing behind it.
  return (data) => (isMutable(data) ? mutable.decode(data) : reader.readMessage(Uint8Array.from(data)));
}
