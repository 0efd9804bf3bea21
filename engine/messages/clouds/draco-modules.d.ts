/** Built for browsers: the address of the file. */
declare module "three/examples/jsm/libs/draco/draco_decoder.wasm" {
  const address: string;
  export default address;
}
/** The build of pages' threads makes a module of this script. */
declare module "three/examples/jsm/libs/draco/draco_wasm_wrapper.js" {
  import type { DracoModule } from "@/engine/messages/clouds/draco";
  const create: (options: { wasmBinary: ArrayBuffer }) => Promise<DracoModule>;
  export default create;
}
