import type * as RareEncodings from "@/engine/decode/rare-encodings";

type Rare = typeof RareEncodings;

/** Of the script of engine/decode/rare-encodings.ts. */
declare const rareEncodingsAddress: string;
declare function importScripts(address: string): void;
/** What the script makes. */
declare const rareEncodings: Rare;

let isLoaded = false;

/** Waits for the script: a thread has nothing else to do without it. */
function load(): Rare {
  if (!isLoaded) importScripts(rareEncodingsAddress);
  isLoaded = true;
  return rareEncodings;
}

export const decodeCbor: Rare["decodeCbor"] = (data) => load().decodeCbor(data);
export const parseFlatSchema: Rare["parseFlatSchema"] = (data, name) => load().parseFlatSchema(data, name);
export const createFlatDecoder: Rare["createFlatDecoder"] = (type, only) => load().createFlatDecoder(type, only);
export const parseOmgIdlSchema: Rare["parseOmgIdlSchema"] = (text, name) => load().parseOmgIdlSchema(text, name);
export const parseRos2IdlSchema: Rare["parseRos2IdlSchema"] = (text, name) => load().parseRos2IdlSchema(text, name);
export const createOmgIdlDecoder: Rare["createOmgIdlDecoder"] = (root, definitions) =>
  load().createOmgIdlDecoder(root, definitions);
