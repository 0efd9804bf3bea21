-- AlterTable
ALTER TABLE "results" ADD COLUMN     "decided_by_id" TEXT;
