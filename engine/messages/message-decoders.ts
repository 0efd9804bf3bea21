import { createDecoder, type MessageDecoder } from "@/engine/decode/decode";
import type { Channel, RawMessage } from "@/engine/formats/recording";

/** Decodes messages of any channel, with one decoder for each. */
export class MessageDecoders {
  private readonly known = new Map<Channel, MessageDecoder>();

  /** The decoded message. Throws a RecordingError when it does not match its schema, or the schema cannot be used. */
  decode({ channel, data }: RawMessage): unknown {
    let decoder = this.known.get(channel);
    if (!decoder) this.known.set(channel, (decoder = createDecoder(channel)));
    return decoder.decode(data);
  }
}
