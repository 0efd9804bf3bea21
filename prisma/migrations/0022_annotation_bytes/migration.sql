-- AlterTable
ALTER TABLE "results" ADD COLUMN     "annotation_bytes" INTEGER;
