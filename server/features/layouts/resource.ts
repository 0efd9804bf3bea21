import { z } from "zod";
import type { Layout } from "@/domain/layouts/tree";

/** A layout of panels without its tree. */
export const LayoutResource = z.object({
  uid: z.string(),
  name: z.string(),
  /** Whether it is the organization's. */
  shared: z.boolean(),
  created_by_name: z.string(),
  /** What it opens for: a type of device, or every one (null). */
  default_for: z.object({ device_type: z.string().nullable() }).nullable(),
  /** Whether the caller may change and delete it. */
  editable: z.boolean(),
});
export type LayoutResource = z.output<typeof LayoutResource>;

export const LayoutDetail = LayoutResource.extend({ tree: z.custom<Layout>() });
export type LayoutDetail = z.output<typeof LayoutDetail>;

/** Why a recording opens with a layout. */
const openedBy = ["link", "last", "device_type", "organization", "suggested"] as const;

export const OpenedLayout = z.object({
  /** Null for the suggested one. */
  layout: LayoutDetail.nullable(),
  by: z.enum(openedBy),
  device_type: z.string(),
  /** What places the frame of its odometry on earth: a topic with places, or the device's metadata (null); null for nothing. */
  datum: z.object({ topic: z.string().nullable() }).nullable(),
});
export type OpenedLayout = z.output<typeof OpenedLayout>;
