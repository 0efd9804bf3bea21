import type { ChunksAhead } from "@/engine/formats/mcap/chunks-ahead";
import type { OpenContext } from "@/engine/formats/open-context";

export interface McapContext extends OpenContext {
  /** Has another thread unpack chunks; null without one. */
  ahead: ChunksAhead | null;
}
