-- CreateTable
CREATE TABLE "installation" (
    "single" BOOLEAN NOT NULL DEFAULT true CHECK ("single"),
    "id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "installation_pkey" PRIMARY KEY ("single")
);
