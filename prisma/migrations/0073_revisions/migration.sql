-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "superseded_count" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "results" ADD COLUMN     "revises" TEXT,
ADD COLUMN     "superseded_by" TEXT;
