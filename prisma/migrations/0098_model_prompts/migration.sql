-- AlterTable
ALTER TABLE "model_integrations" ADD COLUMN     "prompts" TEXT[] DEFAULT ARRAY[]::TEXT[];
