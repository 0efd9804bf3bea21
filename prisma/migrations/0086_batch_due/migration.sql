-- AlterTable
ALTER TABLE "work_batches" ADD COLUMN     "due" TIMESTAMPTZ(3);
