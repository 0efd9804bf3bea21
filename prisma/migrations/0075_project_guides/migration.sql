-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "guide" TEXT NOT NULL DEFAULT '';
