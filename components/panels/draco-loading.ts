import decoderAddress from "three/examples/jsm/libs/draco/draco_decoder.wasm";
import scriptAddress from "three/examples/jsm/libs/draco/draco_wasm_wrapper.js";
import { DracoDecoder, type DracoModule } from "@/engine/messages/draco";
import { UnreadableMessage } from "@/engine/messages/reading";

declare function importScripts(address: string): void;
/** What the script makes. */
declare const DracoDecoderModule: (options: { wasmBinary: ArrayBuffer }) => Promise<DracoModule>;

let loading: Promise<DracoDecoder> | null = null;
let isLoaded = false;

async function load(): Promise<DracoDecoder> {
  const response = await fetch(decoderAddress);
  if (!response.ok) throw new Error(String(response.status));
  const wasmBinary = await response.arrayBuffer();
  if (!isLoaded) importScripts(scriptAddress);
  isLoaded = true;
  return new DracoDecoder(await DracoDecoderModule({ wasmBinary }));
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
