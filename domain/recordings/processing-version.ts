/**
 * Rises when processing gives more than it gave before. Recordings keep the version that processed them, so that their
 * pages say when processing them again brings more.
 */
export const processingVersion = 1;

/** What the versions up to this one brought. */
export const processingNews = "plots and SQL columns of the elements of lists, and stamps in SQL";
