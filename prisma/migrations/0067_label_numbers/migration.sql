-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "next_label_number" INTEGER NOT NULL DEFAULT 0;
