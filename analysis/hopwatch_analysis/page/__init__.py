"""report.html: the analysis as one page that opens offline."""

from hopwatch_analysis.page.document import page

__all__ = ["page"]
