import type { MessageTable } from "@/engine/formats/message-table";
import { isPackedMessage } from "@/engine/formats/packed-message";
import type { RawMessage } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";

/** Whether a message of a table was compressed by itself, which readers of MCAP do not expect. */
export function holdsPacked(table: MessageTable): boolean {
  for (let row = 0; row < table.count; row++) {
    if (isPackedMessage(table.data, table.offset(row)) && table.file.channels[table.slot(row)]?.unpack) return true;
  }
  return false;
}

/** The payload as readers expect it; one that cannot be unpacked as it is. */
export function unpackMessage({ channel, data }: RawMessage): Uint8Array {
  try {
    return channel.unpack?.(data) ?? data;
  } catch (error) {
    if (error instanceof RecordingError) return data;
    throw error;
  }
}
