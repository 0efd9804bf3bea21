-- Whether somebody said the bounds of a metric, which may be that there are none.
ALTER TABLE "metric_meanings" ADD COLUMN     "bounded" BOOLEAN NOT NULL DEFAULT false;
