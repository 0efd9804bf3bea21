-- AlterTable
ALTER TABLE "results" ADD COLUMN     "label_counts" INTEGER[];
