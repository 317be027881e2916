"""What spark-submit runs: the same as the command ``hopwatch analyze``, with its arguments.

The driver's Python needs hopwatch's ``analysis`` extra. The workers need neither hopwatch nor Python: all their work is Spark's own.
"""

import sys

from hopwatch.cli import main

sys.exit(main(["analyze", *sys.argv[1:]]))
