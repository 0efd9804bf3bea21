-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "review_share" INTEGER NOT NULL DEFAULT 100;

-- AlterTable
ALTER TABLE "results" ADD COLUMN     "sampled" BOOLEAN NOT NULL DEFAULT true;
