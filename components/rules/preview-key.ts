/** The query key of previews in the browser's cache. */
export const previewKey = "rule preview";
