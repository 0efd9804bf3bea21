import { Box, Disc, FileText, Film, ImageIcon, type LucideIcon } from "lucide-react";
import type { MediaKind } from "@/domain/items/viewer-schema";

/** What stands for an item without a picture. */
export const mediaGlyphs: Readonly<Record<MediaKind, LucideIcon>> = {
  image: ImageIcon,
  video: Film,
  points: Box,
  recording: Disc,
  other: FileText,
};
