import { createHash } from "node:crypto";
import { utf8Text } from "@/engine/bytes";
import { DefinitionCompleter, type Definitions } from "@/engine/decode/definitions";

/** A definition with all the types it needs, as MCAP stores it. */
export interface SchemaText {
  encoding: string;
  text: string;
}

/** The schemas of types that a converted file does not define. */
export class TypeSchemas {
  /** By type, a digest of what `find` returned; null for types that are not known. */
  readonly found: Record<string, string | null> = {};
  private readonly completer: DefinitionCompleter;

  constructor(definitions: Definitions) {
    this.completer = new DefinitionCompleter(definitions);
  }

  /** The definition of `pkg/msg/Type` with those it needs; null when it is not known. */
  find(type: string): SchemaText | null {
    const { schemaEncoding: encoding, schemaData } = this.completer.complete({
      topic: "",
      messageEncoding: "cdr",
      schemaName: type,
      schemaEncoding: "",
      schemaData: new Uint8Array(0),
    });
    const text = utf8Text(schemaData);
    const isKnown = encoding !== "";
    this.found[type] = isKnown ? createHash("sha256").update(text).digest("base64url").slice(0, 22) : null;
    return isKnown ? { encoding, text } : null;
  }
}
