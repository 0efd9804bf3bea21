import decoderAddress from "three/examples/jsm/libs/draco/draco_decoder.wasm";
import { loadLaterScript } from "@/components/kit/later-script";
import { DracoDecoder } from "@/engine/messages/clouds/draco";
import { UnreadableMessage } from "@/engine/messages/reading";

let loading: Promise<DracoDecoder> | null = null;

async function load(): Promise<DracoDecoder> {
  const [{ default: create }, response] = await Promise.all([
    loadLaterScript(() => import("three/examples/jsm/libs/draco/draco_wasm_wrapper.js")),
    fetch(decoderAddress),
  ]);
  if (!response.ok) throw new Error(String(response.status));
  return new DracoDecoder(await create({ wasmBinary: await response.arrayBuffer() }));
}

/** Draco's decoder, which few recordings need. Throws UnreadableMessage where it cannot be loaded. */
export async function loadDraco(): Promise<DracoDecoder> {
  try {
    loading ??= load();
    let decoder = await loading;
    if (!decoder.isUsable) decoder = await (loading = load());
    return decoder;
  } catch {
    loading = null;
    throw new UnreadableMessage("The decoder of Draco clouds cannot be loaded.");
  }
}
