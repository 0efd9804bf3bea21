/** A channel as its file describes it. */
export interface ChannelDefinition {
  topic: string;
  messageEncoding: string;
  schemaName: string;
  schemaEncoding: string;
  schemaData: Uint8Array;
}

/** Knows more of the messages of a recording than its files say. */
export interface Completer {
  /** Tells what it knows apart from what another one knows. */
  readonly id: string;
  /** A definition with what it lacks; the same one where that is nothing, or not known. */
  complete(definition: ChannelDefinition): ChannelDefinition;
}
