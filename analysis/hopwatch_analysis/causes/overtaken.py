"""What was dropped at a full pipe that no event tells of: what was sent later came."""

from pyspark.sql import Column
from pyspark.sql import functions as sf

from hopwatch_analysis.causes.mended import overlaps_a_mended_down
from hopwatch_analysis.causes.reasons import drops_unseen


def dropped_before_others() -> Column:
    """The sender may drop unseen, and what was sent later came: these were in no queue that an end took along, nor in a cut."""
    return drops_unseen() & sf.col("overtaken") & ~overlaps_a_mended_down()
