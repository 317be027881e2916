"""Agents in a terminal: ``hopwatch status``, ``hopwatch top``, and the completion of shells."""
