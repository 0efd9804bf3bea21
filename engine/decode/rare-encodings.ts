/**
 * What few recordings need and much code reads. The build of pages' threads takes components/recording/thread/rare-encodings.ts in its
 * place, which loads it when a recording needs it.
 */
export { decodeCbor } from "@/engine/decode/cbor-payload";
export { createFlatDecoder } from "@/engine/decode/flatbuffer";
export { parseFlatSchema } from "@/engine/decode/schemas/flatbuffer-schema";
export { parseOmgIdlSchema, parseRos2IdlSchema } from "@/engine/decode/schemas/idl-schema";
export { decodeMsgpack } from "@/engine/decode/msgpack-payload";
export { createOmgIdlDecoder } from "@/engine/decode/omgidl-decoder";
export { deriveTypes } from "@/engine/decode/ros-interfaces";
export { createWideDecoder } from "@/engine/decode/wide-strings";
