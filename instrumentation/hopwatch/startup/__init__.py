"""The folder that ``hopwatch run`` puts on ``PYTHONPATH``."""
