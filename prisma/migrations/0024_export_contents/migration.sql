-- AlterTable
ALTER TABLE "exports" ADD COLUMN     "contents" JSONB,
ADD COLUMN     "results" TEXT NOT NULL DEFAULT 'submitted',
ADD COLUMN     "sha256" TEXT,
ADD COLUMN     "started_at" TIMESTAMPTZ(3);
