"""The version of hopwatch, as written into journals."""

VERSION = "0.1.0"
