export const storageProviders = ["aws_s3", "gc_storage"] as const;
export type StorageProvider = (typeof storageProviders)[number];
