-- CreateTable
CREATE TABLE "releases" (
    "version" TEXT NOT NULL,
    "last_migration" TEXT NOT NULL,
    "first_ran_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "releases_pkey" PRIMARY KEY ("version")
);
