import { z } from "zod";
import { diagnosticLevels } from "@/engine/messages/texts/diagnostic-status";
import { logLevels } from "@/engine/messages/texts/log-line";

/** A picture of a camera, where it lies in time. Nanoseconds are decimal strings. */
export const CapturedPicture = z.object({
  topic: z.string(),
  /** The moment that was wanted, milliseconds from the trigger; the picture is the latest one before it. */
  wanted_ms: z.number().int(),
  /** When it was logged, from the trigger. */
  offset_ns: z.string(),
  width: z.number().int(),
  height: z.number().int(),
  size_bytes: z.number().int(),
});
export type CapturedPicture = z.infer<typeof CapturedPicture>;

const CapturedLine = z.object({
  time_ns: z.string(),
  topic: z.string(),
  level: z.enum(logLevels).nullable(),
  node: z.string(),
  text: z.string(),
});
export type CapturedLine = z.infer<typeof CapturedLine>;

const CapturedFix = z.object({
  topic: z.string(),
  offset_ns: z.string(),
  latitude: z.number(),
  longitude: z.number(),
  altitude: z.number().nullable(),
});
export type CapturedFix = z.infer<typeof CapturedFix>;

/** Metres in a frame of the robot's own. */
const CapturedPosition = z.object({
  topic: z.string(),
  offset_ns: z.string(),
  frame: z.string(),
  x: z.number(),
  y: z.number(),
  z: z.number(),
});
export type CapturedPosition = z.infer<typeof CapturedPosition>;

const DiagnosticChange = z.object({
  time_ns: z.string(),
  topic: z.string(),
  name: z.string(),
  before: z.enum(diagnosticLevels).nullable(),
  level: z.enum(diagnosticLevels).nullable(),
  text: z.string(),
});

/** What was found around the moment besides pictures. */
export const Findings = z.object({
  /** Ten lines around the moment, the serious ones first. */
  lines: z.array(CapturedLine),
  /** Errors within a minute of it. */
  errors: z.array(CapturedLine),
  /** Parts of the robot whose level changed within a minute of it. */
  diagnostics: z.array(DiagnosticChange).default([]),
  fix: CapturedFix.nullable(),
  /** Where the robot said it was, when no satellites did. */
  position: CapturedPosition.nullable().default(null),
  /** What could not be kept, and why. */
  notes: z.array(z.string()),
});
export type Findings = z.infer<typeof Findings>;

/** What a recording held around the moment an alert was triggered. */
export interface Capture extends Findings {
  uid: string;
  alert_id: string;
  triggered_ns: string;
  pictures: CapturedPicture[];
}
