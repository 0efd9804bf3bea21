-- AlterTable
ALTER TABLE "stored_files" ADD COLUMN     "conversion" JSONB,
ADD COLUMN     "derived_from" TEXT;
