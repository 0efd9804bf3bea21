/**
 * What few recordings need and much code reads. The build of pages' threads takes components/panels/rare-encodings.ts in its
 * place, which loads it when it is met.
 */
export { decodeCbor } from "@/engine/decode/cbor-payload";
export { createFlatDecoder } from "@/engine/decode/flatbuffer";
export { parseFlatSchema } from "@/engine/decode/flatbuffer-schema";
export { parseOmgIdlSchema, parseRos2IdlSchema } from "@/engine/decode/idl-schema";
export { createOmgIdlDecoder } from "@/engine/decode/omgidl-decoder";
