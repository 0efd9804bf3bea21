import type { ComponentProps } from "react";

interface MediaImageProps extends ComponentProps<"img"> {
  alt: string;
}

/** A picture of an item, as Muster itself serves it: in its own size, cached by the browser. */
export const MediaImage = ({ alt, ...props }: MediaImageProps) => (
  // oxlint-disable-next-line nextjs/no-img-element -- scaling it again would change the pixels that people look at
  <img alt={alt} {...props} />
);
