/** What the answers of previews are kept under in the browser's cache. */
export const previewKey = "rule preview";
