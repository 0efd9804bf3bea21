-- AlterTable
ALTER TABLE "recordings" ADD COLUMN "processing_cpu_seconds" DOUBLE PRECISION,
ADD COLUMN "processing_seconds" DOUBLE PRECISION;
