-- AlterTable
ALTER TABLE "exports" ADD COLUMN     "background" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "split" JSONB;
