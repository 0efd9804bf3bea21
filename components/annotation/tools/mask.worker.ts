/**
 * The thread that writes the pixels of a mask as run lengths, so that the next stroke need not wait for the last one. Built by
 * scripts/page-workers.mjs.
 */
import { expose } from "comlink";
import { encodeMask } from "./encode-mask";

const thread = { encode: encodeMask };
export type MaskThread = typeof thread;

expose(thread);
