export interface S3Access {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
}
export interface S3Server extends S3Access {
  endpoint: string;
  close(): Promise<void>;
}
export const s3Access: S3Access;
export const howToInstall: string;
export function hasS3Server(): boolean;
export function installS3Server(): void;
export function startS3Server(): Promise<S3Server>;
